/* Starting the program under the runtime and watching it: it may crash, hang, be killed or run out of time, and each of
 * these is an answer. */
#define _GNU_SOURCE
#include "native/native.h"

#include "base/tempdir.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long journal_call(long number, long a, long b, long c, long d)
{
    long result = syscall(number, a, b, c, d);
    return result < 0 ? -errno : result;
}
#include "runtime/journal.h"

/* What a program that was killed left undone. */
static void undo_files(const struct rt_config *config)
{
    uint32_t count = 0;
    char name[JOURNAL_PATH];
    if (!config->journal[0]) return;
    for (;; count++) {
        journal_name(name, config->journal, count);
        if (access(name, F_OK)) break;
    }
    journal_undo(config->journal, count);
}

enum { SHARED_FD_FROM = 100, OUTPUT_LIMIT = 1 << 20 };

static void wake(uint32_t *bell) { syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

static bool has_depot(const struct rt_config *config) { return config->far || config->serves; }

static void map_depot(struct native_run *r, int member)
{
    void *table = mmap(NULL, depot_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, r->fd, RT_DEPOT_AT);
    if (table == MAP_FAILED) die("cannot map shared memory: %s", strerror(errno));
    r->depot = (struct depot){table, member, wake};
}

void native_run_init(struct native_run *r, const struct rt_config *config)
{
    *r = (struct native_run){0};
    int fd = memfd_create("heddle", MFD_CLOEXEC); /* for one program only: native_become() */
    size_t size = has_depot(config) ? RT_DEPOT_AT + depot_size() : sizeof *r->shared;
    if (fd < 0 || ftruncate(fd, (off_t)size)) die("cannot make shared memory: %s", strerror(errno));
    r->fd = fcntl(fd, F_DUPFD_CLOEXEC, SHARED_FD_FROM);
    if (r->fd < 0) r->fd = fd;
    else close(fd);
    r->shared = mmap(NULL, sizeof *r->shared, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    if (r->shared == MAP_FAILED) die("cannot map shared memory: %s", strerror(errno));
    assert(config->threads > 0 && config->threads <= RT_MAX_THREADS);
    assert(config->max_start + config->max_steps <= RT_MAX_STEPS);
    r->shared->magic = RT_MAGIC;
    r->shared->size = sizeof *r->shared;
    r->shared->config = r->config = *config;
    if (has_depot(config)) map_depot(r, config->serves ? RT_CARRIER : RT_FIRST_FAR);
}

#define COPY_LIST(to, from, list, count) \
    ((to)->count = MIN((from)->count, sizeof (to)->list / sizeof (to)->list[0]), \
     memcpy((to)->list, (from)->list, (to)->count * sizeof (to)->list[0]))
#define COPY_KNOWLEDGE(to, from) \
    (COPY_LIST(to, from, hot, hot_count), COPY_LIST(to, from, notes, note_count), \
     COPY_LIST(to, from, weak, weak_count), COPY_LIST(to, from, sites, site_count), \
     COPY_LIST(to, from, mixed, mixed_count), COPY_LIST(to, from, waiting, waiting_count), \
     COPY_LIST(to, from, numbers, numbered), \
     (to)->spurious_skipped = (from)->spurious_skipped, (to)->spurious_limited = (from)->spurious_limited, \
     (to)->spurious_offered = (from)->spurious_offered, (to)->unexplored = (from)->unexplored, \
     (to)->stores_order = (from)->stores_order, (to)->writes_partly = (from)->writes_partly, \
     (to)->rounds_overlap = (from)->rounds_overlap, (to)->weak_seen = (from)->weak_seen, \
     (to)->weak_truncated = (from)->weak_truncated)

void native_knowledge(const struct rt_shared *from, struct rt_knowledge *out)
{
    memset(out, 0, sizeof *out);
    out->knows = __atomic_load_n(&from->knows, __ATOMIC_SEQ_CST); /* what comes later has another number */
    COPY_KNOWLEDGE(out, from);
}

void native_know(struct rt_shared *to, const struct rt_knowledge *k)
{
    assert(to->config.serves);
    to->knows = k->knows;
    COPY_KNOWLEDGE(to, k);
}

void native_run_release(struct native_run *r)
{
    process_release(&r->child);
    if (r->depot.table) munmap(r->depot.table, depot_size());
    if (r->shared) munmap(r->shared, sizeof *r->shared);
    if (r->fd > 0) close(r->fd);
    free(r->output);
    *r = (struct native_run){0};
}

void native_schedule(const struct rt_shared *from, struct rt_shared *to)
{
    int rank[RT_MAX_THREADS] = {0};
    assert((to->config.mode == RT_RECORD || to->config.shortens) && from != to);
    assert(from->first_announced_count <= RT_MAX_THREADS && from->first_step_count <= RT_MAX_STEPS);
    assert(from->first_hot_count <= from->hot_count && from->hot_count <= RT_MAX_HOT);
    for (uint32_t i = 0; i < from->first_announced_count; i++)
        rank[from->first_announced[i] % RT_MAX_THREADS] = (int)i;
    for (uint32_t i = 0; i < from->first_step_count; i++)
        to->first_steps[i] =
            (struct sched_step){rank[from->first_steps[i].thread % RT_MAX_THREADS], from->first_steps[i].choice};
    to->config.schedule_len = from->first_step_count;
    to->hot_count = from->first_hot_count;
    memcpy(to->hot, from->hot, sizeof to->hot);
    to->foreign_count = from->foreign_count;
    memcpy(to->foreign, from->foreign, from->foreign_count * sizeof from->foreign[0]);
    to->atomic_functions = from->atomic_functions;
    to->assumptions = from->assumptions;
}

bool native_turn_to(struct rt_shared *s, uint64_t which)
{
    if (which >= MIN(s->findings, RT_MAX_NOTES) || !s->more[which].step_count) return false;
    const struct rt_failure *f = &s->more[which];
    s->finding = f->finding;
    s->preemptions = f->preemptions;
    s->first_step_count = f->step_count;
    memcpy(s->first_steps, s->kept_steps + f->first_step, sizeof s->first_steps[0] * f->step_count);
    s->first_announced_count = f->announced_count;
    memcpy(s->first_announced, f->announced, sizeof s->first_announced);
    s->first_hot_count = f->hot_count;
    return true;
}

/* Every execution reads the same input, from where it stands. It does so by a descriptor of its own: whoever started
 * heddle goes on reading, perhaps the list of what is to be checked. PROCESS_NULL: it is no file, and could be read
 * once only. */
static int own_input(void)
{
    off_t at = lseek(0, 0, SEEK_CUR);
    int fd = at >= 0 ? open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return PROCESS_NULL;
    lseek(fd, at, SEEK_SET);
    return fd;
}

/* Addresses are the same in every run, so that traces can name them. Of several runs that are kept at a time, a program
 * gets the shared memory of its own only. */
void native_become(void *run)
{
    const struct native_run *r = run;
    fcntl(r->fd, F_SETFD, 0);
    personality(ADDR_NO_RANDOMIZE);
}

/* Which of the two runtimes in the program is to run it: runtime/alone.c. */
void native_environment(const struct native_run *r, struct words *out)
{
    words_printf(out, "HEDDLE_FD=%d", r->fd);
    if (r->shared->config.threads > SCHED_MAX_THREADS) words_add(out, "HEDDLE_WIDE=1");
}

static struct process program_process(const struct native_run *r, const struct native_program *p, int output)
{
    int sink = output >= 0 ? output : PROCESS_NULL;
    struct process child = {.in = own_input(), .out = sink, .err = sink, .own_group = true,
                            .in_child = native_become, .context = (void *)r};
    native_environment(r, &child.environment);
    words_add(&child.environment, "LD_BIND_NOW=1");
    /* or the kernel would write to pages that are protected */
    words_add(&child.environment, "GLIBC_TUNABLES=glibc.pthread.rseq=0");
    words_add(&child.words, p->path);
    for (const char *const *a = p->arguments; *a; a++) words_add(&child.words, *a);
    return child;
}

static void read_output(struct native_run *r, int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (size <= 0) return;
    size = MIN(size, OUTPUT_LIMIT);
    r->output = xcalloc(1, (size_t)size + 1);
    if (pread(fd, r->output, (size_t)size, 0) < 0) r->output[0] = 0;
}

#define CLAMP(count, most) ((count) = MIN((count), (most)))

/* What a process that ended without a word leaves behind: the schedule so far and the reason of its death. */
static void explain_death(struct native_run *r, int status)
{
    struct rt_shared *s = r->shared;
    assert((unsigned)s->status <= RT_UNABLE);
    if (s->status != RT_STARTING && s->status != RT_RUNNING) return;
    if (s->is_other) {
        s->status = RT_UNABLE;
        snprintf(s->finding.message, sizeof s->finding.message,
                 "it was built with another version of heddle: build it again");
        return;
    }
    if (s->status == RT_STARTING) {
        s->status = RT_UNABLE;
        snprintf(s->finding.message, sizeof s->finding.message,
                 WIFSIGNALED(status) ? "the program dies before main() (signal %d)"
                                     : "the program ends before main() (status %d)",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        return;
    }
    struct rt_finding found = {.kind = RT_CRASH, .here = {.thread = s->current}};
    if (r->timed_out) found.kind = RT_LIVELOCK;
    snprintf(found.message, sizeof found.message,
             r->timed_out          ? "no scheduling point is reached any more"
             : WIFSIGNALED(status) ? "the process is killed by signal %d"
                                   : "the process ends by itself (status %d)",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    s->status = RT_FOUND;
    CLAMP(s->step_count, RT_MAX_STEPS);
    CLAMP(s->kept_count, RT_MAX_STEPS);
    CLAMP(s->announced_count, RT_MAX_THREADS);
    bool first = !s->config.all_errors || !s->findings;
    if (first) s->findings = 0;
    rt_keep_failure(s, &found, 0);
    if (!first) return;
    s->finding = found;
    s->first_step_count = MIN(s->step_count, RT_MAX_STEPS);
    memcpy(s->first_steps, s->steps, sizeof s->steps[0] * s->first_step_count);
    s->first_announced_count = MIN(s->announced_count, RT_MAX_THREADS);
    memcpy(s->first_announced, s->announced, sizeof s->announced);
    s->first_hot_count = s->hot_in_use;
}

/* How long the process was ready and had no processor; 0: not known. */
static double seconds_waited(pid_t pid)
{
    char path[64];
    unsigned long long ran, waited = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%llu %llu", &ran, &waited) != 2) waited = 0;
    if (f) fclose(f);
    return (double)waited * 1e-9;
}

/* Looks after a silent program: asks it where it hangs, then ends it. Its time does not pass while others have the
 * processor, so that no step becomes endless on a busy machine. */
static void check_heartbeat(struct native_run *r, pid_t pid, const struct native_program *p)
{
    struct native_watch *w = &r->watch;
    double now = seconds_now() - seconds_waited(pid);
    if (r->shared->heartbeat != w->beat) {
        w->beat = r->shared->heartbeat;
        w->beat_at = now;
        w->asked_at = 0;
    } else if (!w->asked_at && now - w->beat_at > p->step_seconds && r->shared->status == RT_RUNNING) {
        w->asked_at = now;
        kill(-pid, RT_HANG_SIGNAL);
    } else if (now - w->beat_at > p->step_seconds + 2) {
        r->timed_out = true;
        if (pid > 1) kill(-pid, SIGKILL);
    }
}

/* What the process has in memory; 0: not known. */
static size_t resident(pid_t pid)
{
    char path[64];
    unsigned long total, pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%lu %lu", &total, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The share of the memory that several processes have in common; 0: not known. */
static size_t proportional(pid_t pid)
{
    char path[64], line[128];
    unsigned long kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss: %lu", &kilobytes) == 1) break;
    if (f) fclose(f);
    return kilobytes * 1024;
}

/* Of the program and all that explore it. */
static size_t memory_of(const struct native_run *r, pid_t pid)
{
    size_t others = 0;
    for (int i = 0; i < RT_MAX_PROCESSES; i++)
        if (r->shared->processes[i] > 0) others += proportional(r->shared->processes[i]);
    return others ? others + proportional(pid) : resident(pid);
}

static double seconds_of(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t)) return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double native_seconds(const struct native_run *r)
{
    double sum = r->child.pid ? seconds_of(r->child.pid) : 0;
    for (int i = 0; i < RT_MAX_PROCESSES; i++)
        if (r->shared->processes[i] > 0) sum += seconds_of(r->shared->processes[i]);
    return sum;
}

/* An exploration is asked to stop between two executions, and has a moment for that. */
static void keep_limits(struct native_run *r, pid_t pid, const struct limits *limits)
{
    struct native_watch *w = &r->watch;
    const double grace = 0.3;
    enum limit reached = limits_reached(limits);
    if (!reached && limits && memory_of(r, pid) > limits->memory) reached = LIMIT_MEMORY;
    if (!reached) return;
    double now = seconds_now();
    if (!r->stopped) w->stopped_at = now;
    if (!r->stopped || reached == LIMIT_INTERRUPT) r->stopped = reached;
    assert(r->stopped && w->stopped_at <= now);
    r->shared->stop = true;
    bool can_wait = r->config.mode == RT_EXPLORE && r->shared->status == RT_RUNNING && reached == LIMIT_TIME;
    if (can_wait && now < w->stopped_at + grace) return;
    if (r->shared->status <= RT_RUNNING) r->shared->status = r->shared->findings ? RT_FOUND : RT_LIMIT;
    if (pid > 1) kill(-pid, SIGKILL);
}

#define END(text) ((text)[sizeof(text) - 1] = 0)

static void check_stack(struct rt_stack *s)
{
    if (s->first > RT_MAX_FRAMES || s->len > RT_MAX_FRAMES - s->first) *s = (struct rt_stack){0};
}

static void check_thread(int *thread)
{
    if (*thread < -1 || *thread >= RT_MAX_THREADS) *thread = 0;
}

static void check_finding(struct rt_finding *f)
{
    if ((unsigned)f->kind >= RT_FINDING_COUNT) f->kind = RT_CRASH;
    END(f->message);
    check_stack(&f->here.stack);
    check_stack(&f->other.stack);
    check_thread(&f->here.thread);
    check_thread(&f->other.thread);
    if (f->here.thread < 0) f->here.thread = 0;
}

static void check_events(struct rt_shared *s)
{
    for (uint32_t i = 0; i < CLAMP(s->event_count, RT_MAX_EVENTS); i++) {
        struct rt_event *e = &s->events[i];
        if (e->kind >= SCHED_KIND_COUNT) e->kind = SCHED_LOCAL;
        if (e->thread < 0 || e->thread >= RT_MAX_THREADS) e->thread = 0;
        END(e->label);
        check_stack(&e->stack);
    }
    for (uint32_t i = 0; i < CLAMP(s->home_count, RT_MAX_HOMES); i++) check_stack(&s->homes[i].stack);
    for (int i = 0; i < RT_MAX_THREADS; i++) {
        END(s->ends[i].name);
        END(s->ends[i].label);
        check_stack(&s->ends[i].stack);
        CLAMP(s->ends[i].held_count, RT_MAX_HELD);
        if (s->ends[i].op.kind >= SCHED_KIND_COUNT) s->ends[i].op.kind = SCHED_LOCAL;
    }
}

static void check_failure(const struct rt_shared *s, struct rt_failure *f)
{
    check_finding(&f->finding);
    CLAMP(f->first_step, s->kept_count);
    CLAMP(f->step_count, s->kept_count - f->first_step);
    CLAMP(f->announced_count, RT_MAX_THREADS);
    CLAMP(f->hot_count, s->hot_count);
}

/* The shared memory is also the program's, which may have written anything there: nothing in it is believed. */
static void check_shared(struct native_run *r)
{
    struct rt_shared *s = r->shared;
    if (s->magic != RT_MAGIC || s->size != sizeof *s) {
        static const char message[] = "the program overwrites memory that is not its own";
        memset(s, 0, offsetof(struct rt_shared, steps));
        s->status = RT_FOUND;
        s->findings = 1;
        s->finding.kind = RT_CRASH;
        memcpy(s->finding.message, message, sizeof message);
    }
    s->config = r->config;
    CLAMP(s->hot_count, RT_MAX_HOT);
    CLAMP(s->first_hot_count, s->hot_count);
    CLAMP(s->note_count, RT_MAX_NOTES);
    CLAMP(s->weak_count, RT_MAX_WEAK);
    CLAMP(s->mixed_count, RT_MAX_MIXED);
    CLAMP(s->waiting_count, RT_MAX_WAITING);
    for (uint32_t i = 0; i < s->mixed_count; i++)
        if (s->mixed[i].kind >= RT_MIXED_KINDS) s->mixed[i].kind = RT_MIXED_SIZES;
    CLAMP(s->site_count, RT_MAX_SITES);
    for (uint32_t i = 0; i < s->site_count; i++)
        if (s->sites[i].kind >= RT_SITE_KINDS) s->sites[i].kind = RT_SITE_LOAD;
    CLAMP(s->atomic_functions.count, RT_MAX_CODE);
    CLAMP(s->assumptions.count, RT_MAX_CODE);
    CLAMP(s->foreign_count, RT_MAX_FOREIGN);
    for (uint32_t i = 0; i < CLAMP(s->library_count, RT_MAX_LIBRARIES); i++) END(s->libraries[i].path);
    CLAMP(s->announced_count, RT_MAX_THREADS);
    CLAMP(s->first_announced_count, RT_MAX_THREADS);
    CLAMP(s->first_step_count, RT_MAX_STEPS);
    for (int i = 0; i < RT_MAX_NOTES; i++) {
        END(s->notes[i].name);
        END(s->notes[i].meaning);
    }
    CLAMP(s->kept_count, RT_MAX_STEPS);
    for (int i = 0; i < RT_MAX_NOTES; i++) check_failure(s, &s->more[i]);
    if (s->stats.levels < 0 || s->stats.levels > SCHED_MAX_BOUND + 1) s->stats.levels = 0;
    if ((unsigned)s->divergence.expected.kind >= SCHED_KIND_COUNT) s->divergence.expected.kind = SCHED_LOCAL;
    if ((unsigned)s->divergence.found.kind >= SCHED_KIND_COUNT) s->divergence.found.kind = SCHED_LOCAL;
    check_finding(&s->finding);
    check_events(s);
}

void native_start(struct native_run *r, const struct native_program *p)
{
    assert(r->shared && r->fd > 0 && p->path && p->arguments && !r->output && !r->child.pid);
    r->output_fd = r->shared->config.mode == RT_RECORD ? nameless_file("output") : -1;
    r->config = r->shared->config;
    r->child = program_process(r, p, r->output_fd);
    if (process_start(&r->child)) die("cannot start a process: %s", strerror(errno));
    if (r->child.in != PROCESS_NULL) close(r->child.in);
    r->watch = (struct native_watch){.beat_at = seconds_now()};
}

/* What the ended process left behind is made an answer. */
static void take_result(struct native_run *r)
{
    int status = r->child.wait_status;
    r->shared->peak_memory = (uint64_t)r->child.usage.ru_maxrss * 1024;
    process_release(&r->child);
    undo_files(&r->config);
    if (r->output_fd >= 0) {
        read_output(r, r->output_fd);
        close(r->output_fd);
    }
    if ((unsigned)r->shared->status > RT_UNABLE) r->shared->status = RT_RUNNING;
    explain_death(r, status);
    check_shared(r);
    assert(r->shared->status != RT_STARTING && r->shared->status != RT_RUNNING); /* every end is an answer */
    assert(r->shared->finding.here.thread >= 0 && r->shared->finding.here.thread < RT_MAX_THREADS);
}

bool native_ended(struct native_run *r, const struct native_program *p, const struct limits *limits, int milliseconds)
{
    if (process_wait(&r->child, milliseconds)) {
        take_result(r);
        return true;
    }
    keep_limits(r, r->child.pid, limits);
    check_heartbeat(r, r->child.pid, p);
    return false;
}

void native_run(struct native_run *r, const struct native_program *p, const struct limits *limits,
                native_watcher *watch, void *context)
{
    enum { INTERVAL = 50 };
    native_start(r, p);
    while (!native_ended(r, p, limits, INTERVAL))
        if (watch) watch(context, r->shared);
}
