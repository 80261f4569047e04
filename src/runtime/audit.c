/* The audit: the engine finds out which memory foreign code accesses without announcing it.
 *
 * A call site is met when observed code calls a function of a shared library from it for the first time. In the start
 * of the program, before there is a second thread, the call is audited at once. Later the schedule of the execution is
 * kept, and when that execution is over its schedule is run once more, with all call sites that are still to be audited
 * audited where they are met first. This execution is beside the search: it changes no count. In it touches.c follows
 * all accesses of all threads, so that an unannounced one is known to concern another thread.
 *
 * An audited execution and its faults take a fifth of the processor time at most, or 50 milliseconds. */
#include "runtime/audit_int.h"

#include <sys/syscall.h>

enum { FIRST_CALLS = 64, MOST_TRIES = 3, WAIT = 256, SHARE = 5 };
static const double always = 0.05;

static double processor_time(void)
{
    struct timespec t = {0};
    rt_syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&t, 0, 0, 0, 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool is_unlimited(void) { return rt.recording || rt.shared->config.audit == RT_AUDIT_ALL; }

/* How much may be spent from now on. */
static double allowance(double now)
{
    double share = now / SHARE;
    return (share > always ? share : always) - rt.shared->audit_seconds;
}

bool audit_is_over_budget(void)
{
    struct audit *a = rt.audit;
    bool is_over = !is_unlimited() && processor_time() > a->until;
    a->call.is_cut |= is_over;
    return is_over;
}

/* Processor time is counted from here on. */
static double start_clock(void)
{
    double now = processor_time();
    rt.audit->until = now + allowance(now);
    return now;
}

static void stop_clock(double since) { rt.shared->audit_seconds += processor_time() - since; }

void rt_audit_init(void)
{
    const struct rt_config *c = &rt.shared->config;
    if (c->digest || c->stop_at_end || c->serves || (c->audit == RT_AUDIT_OFF && c->mode != RT_EXPLORE)) return;
    if (rt.recording && c->audit != RT_AUDIT_EVERY) return;
    struct audit *a = rt.audit = rt_map(NULL, sizeof *a, 0);
    a->is_off = c->audit == RT_AUDIT_OFF;
    rt.shared->stack_is_code = !a->is_off && rt_wants_executable_stack(); /* the guard cannot protect its pages */
    a->is_on = guard_is_possible() && !rt.shared->stack_is_code;
    rt.shared->audit_unavailable = !a->is_on;
    if (!a->is_on) {
        rt.audit = NULL;
        return;
    }
    gate_init();
    if (a->is_off) return;
    a->touches = touches_new();
    entries_init();
}

/* ---- call sites ---- */

bool audit_is_observed(uintptr_t pc) { return rt_is_program_code(pc) && !rt_foreign_at(pc); }

static struct rt_call_site *find(uintptr_t pc)
{
    struct rt_shared *s = rt.shared;
    for (uint32_t i = 0; i < s->call_site_count; i++)
        if (s->call_sites[i].pc == pc && !s->call_sites[i].is_own) return &s->call_sites[i];
    return NULL;
}

/* Several processes may add. */
static struct rt_call_site *add(struct rt_call_site new)
{
    struct rt_shared *s = rt.shared;
    uint32_t at = s->call_site_count;
    do {
        if (at >= RT_MAX_CALL_SITES) return s->audit_incomplete = true, NULL;
    } while (!__atomic_compare_exchange_n(&s->call_site_count, &at, at + 1, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
    s->call_sites[at] = new;
    return &s->call_sites[at];
}

static struct rt_call_site *find_or_add(uintptr_t pc, uintptr_t function, const char *name)
{
    struct rt_call_site *site = find(pc);
    if (site) return site;
    site = add((struct rt_call_site){.pc = pc, .function = function});
    for (size_t i = 0; site && name && name[i] && i + 1 < sizeof site->name; i++) site->name[i] = name[i];
    return site;
}

static bool is_closed(const struct rt_call_site *s) { return s->state >= RT_SITE_DONE; }

static uint8_t *calls_of_thread(struct rt_call_site *s) { return &s->calls_of[rt.self->id % RT_SITE_THREADS]; }

/* What the calls of two threads from one call site access may be the same. If a thread calls from a call site that is
 * closed, the execution is run once more, and the first calls of each thread are audited, as far as there is time. They
 * are not audited in the first run, because calls inside them may be new. */
static bool is_repeated(struct rt_call_site *s)
{
    struct audit *a = rt.audit;
    if (!a->is_running || s->state != RT_SITE_DONE) return false;
    uint8_t calls = *calls_of_thread(s);
    bool is_wanted = !calls || (calls < FIRST_CALLS && (is_unlimited() || processor_time() < a->until));
    a->wants_repeats |= is_wanted;
    s->is_sampled |= !is_wanted;
    return is_wanted && a->repeats;
}

bool rt_audit_is_settled(uintptr_t pc)
{
    struct audit *a = rt.audit;
    if (!rt.active) return false;
    if (!audit_is_observed(pc) || a->is_off) return true;
    if (rt.recording) return false;
    const struct rt_call_site *s = find(pc);
    if (s && a->is_running) return s->state > RT_SITE_DONE;
    if (s && s->in_start && s->state == RT_SITE_DONE) return false;
    return s ? is_closed(s) || s->state == RT_SITE_WANTED : rt.shared->audit_incomplete;
}

/* There is no other thread, and never was. */
static bool is_start(void)
{
    return rt.exploring && !rt.follows_schedule && set_equal(rt.created, set_of(0)) && !rt.self->children;
}

static void begin_call(struct rt_call_site *site, uintptr_t pc, bool has_row)
{
    struct audit *a = rt.audit;
    struct audited_call *c = &a->call;
    audit_settle();
    rt.audits_call = c->in_progress = true;
    c->is_cut = c->is_locked = false;
    memset(c->opened, 0, sizeof c->opened);
    c->has_row = has_row;
    c->site = site;
    c->pc = pc;
    c->thread = rt.self->id;
    c->found_count = c->announced_count = 0;
    c->is_repeat = site && site->state == RT_SITE_DONE;
    if (site && site->is_own) rt_unexplored(RT_LIBRARY_WRITES); /* perhaps to its thread-local variables */
    if (site && !site->is_own) {
        site->state = RT_SITE_DONE;
        site->in_start = !has_row && is_start();
        ++*calls_of_thread(site);
    }
    if (!has_row || a->ring.pc != pc || a->ring.thread != c->thread) return;
    c->announced_count = a->ring.count;
    memcpy(c->announced, a->ring.at, sizeof c->announced[0] * a->ring.count);
}

/* The execution at hand is to be run again for it. */
static void want(struct rt_call_site *site)
{
    if (rt.shared->audit_pending || rt.follows_schedule || site->state != RT_SITE_NEW) return;
    site->state = RT_SITE_WANTED;
    rt.shared->audit_met = true;
}

/* What a call accessed before there was a second thread, threads may access together. */
static void reopen(struct rt_call_site *site)
{
    if (!site->in_start || rt.audit->is_running || is_start()) return;
    site->in_start = false;
    if (site->state == RT_SITE_DONE) site->state = RT_SITE_NEW;
}

bool audit_wants(uintptr_t pc, uintptr_t function, const char *name, bool has_row)
{
    struct audit *a = rt.audit;
    if (!rt.active || a->call.in_progress || !audit_is_observed(pc)) return false;
    if (a->is_off) return rt.shared->audit_skipped |= !has_row, false;
    bool on_own_stack = rt_on_own_stack(rt.self, __builtin_frame_address(0)); /* other stacks would be guarded */
    if (rt.recording && !on_own_stack) return false;
    if (rt.recording) return begin_call(NULL, pc, has_row), true;
    if (rt.follows_schedule && !a->is_running) return false;
    struct rt_call_site *site = find_or_add(pc, function, name);
    if (site) reopen(site);
    bool repeats = site && !has_row && is_repeated(site);
    if (!site || (is_closed(site) && !repeats)) return false;
    if (repeats && (!on_own_stack || audit_is_over_budget())) return false;
    if (!on_own_stack) return site->state = RT_SITE_CUT, false;
    if (!a->is_running && !is_start()) return want(site), false;
    if (!a->is_running) a->began = start_clock();
    if (audit_is_over_budget()) {
        if (!a->is_running) site->state = RT_SITE_CUT;
        return false;
    }
    begin_call(site, pc, has_row);
    return true;
}

/* ---- foreign functions of the executable ---- */

static struct rt_call_site *find_own(uintptr_t pc, struct rt_foreign *f, int thread)
{
    struct rt_shared *s = rt.shared;
    for (uint32_t i = 0; i < s->call_site_count; i++) {
        struct rt_call_site *c = &s->call_sites[i];
        if (c->is_own && c->pc == pc && c->function == f->low && c->thread == thread) return c;
    }
    struct rt_call_site *new =
        add((struct rt_call_site){.pc = pc, .function = f->low, .is_own = true, .thread = thread});
    if (!new) f->is_counted = false;
    return new;
}

/* In an execution that is run again each thread's first calls are audited, also at sites that are closed: they may
 * conflict with those of another thread. Of later calls a sample is, at growing distances. */
static bool is_enough(const struct rt_call_site *site, uint32_t met)
{
    bool is_chosen = met <= FIRST_CALLS || !(met & (met - 1)) || is_unlimited();
    return is_closed(site) && (!rt.audit->is_running || !is_chosen);
}

/* How many calls the thread has made from there in this execution. */
static uint32_t count_call(struct rt_call_site *site)
{
    uint16_t *met = &rt.own_calls[site - rt.shared->call_sites];
    if (*met < UINT16_MAX) ++*met;
    if (site->thread >= 0 && *met > site->needed) site->needed = *met;
    return *met;
}

/* An execution makes more calls than were audited: it is run again, unless that cannot help. */
static bool renew(struct rt_call_site *site)
{
    enum { MOST_RENEWALS = 4 };
    if (rt.audit->is_running || rt.follows_schedule || site->state != RT_SITE_DONE) return false;
    bool is_hopeless = site->renewals == MOST_RENEWALS || (site->needed > FIRST_CALLS && !is_unlimited());
    if (site->needed <= site->audited || is_hopeless) return false;
    site->renewals++;
    site->state = RT_SITE_NEW;
    return true;
}

/* Nothing is left to be found out by later calls. In the start they concern no other thread, and the first creation of
 * a thread puts the breakpoints back. */
static bool is_settled(const struct rt_call_site *site)
{
    bool is_partial = site->state > RT_SITE_DONE || site->needed > site->audited;
    if (rt.audit->is_running) return false;
    rt.audit->start_is_settled |= site->thread < 0;
    return site->thread < 0 || is_partial;
}

enum audit_answer audit_wants_function(uintptr_t pc, struct rt_foreign *f, bool has_room, uint32_t *number)
{
    struct audit *a = rt.audit;
    *number = RT_MAX_CALL_SITES;
    bool in_start = rt.active && is_start();
    if (!rt.active) return f->is_counted = false, AUDIT_SETTLED;
    if (rt.recording) return has_room && !a->call.in_progress ? begin_call(NULL, pc, false), AUDIT_NOW : AUDIT_LATER;
    struct rt_call_site *site = find_own(pc, f, in_start ? -1 : rt.self->id);
    if (!site) return AUDIT_SETTLED;
    uint32_t met = count_call(site);
    if (!renew(site) && is_enough(site, met)) return is_settled(site) ? AUDIT_SETTLED : AUDIT_LATER;
    if (a->call.in_progress || (rt.follows_schedule && !a->is_running)) return AUDIT_LATER;
    if (!has_room) return site->state = RT_SITE_CUT, AUDIT_LATER;
    if (!a->is_running && !in_start) return want(site), AUDIT_LATER;
    if (!a->is_running) a->began = start_clock();
    if (audit_is_over_budget()) {
        if (!a->is_running) site->state = RT_SITE_CUT;
        return AUDIT_LATER;
    }
    *number = (uint32_t)(site - rt.shared->call_sites);
    begin_call(site, pc, false);
    return AUDIT_NOW;
}

/* A call that was observed up to its end. */
void audit_function_over(uint32_t number, bool is_whole)
{
    const struct audited_call *c = &rt.audit->call;
    struct rt_call_site *site = number < RT_MAX_CALL_SITES ? &rt.shared->call_sites[number] : NULL;
    bool is_done = is_whole && c->in_progress && !c->is_cut && c->site == site;
    audit_call_over();
    if (!site) return;
    if (is_done) {
        site->state = RT_SITE_DONE;
        site->calls++;
        if (site->calls == rt.own_calls[number] && site->calls > site->audited) site->audited = site->calls;
    } else if (site->state != RT_SITE_DONE) site->state = RT_SITE_CUT;
}

void audit_call_over(void)
{
    struct audited_call *c = &rt.audit->call;
    if (!c->in_progress) return;
    c->in_progress = false;
    if (c->site && c->is_cut && !c->is_repeat) c->site->state = RT_SITE_CUT;
    if (!rt.audit->is_running && rt.exploring) stop_clock(rt.audit->began);
    if (!c->has_row) audit_settle();
}

/* ---- accesses ---- */

/* A wrapper names the state that its function uses. Only an execution that is run again shows which threads use it. */
bool audit_guards_libraries(void)
{
    return rt.follows_touches && !rt.audit->call.has_row;
}

bool audit_in_library(uintptr_t address)
{
    const struct audit *a = rt.audit;
    for (uint32_t i = 0; i < a->library_count; i++)
        if (address >= a->libraries[i].low && address < a->libraries[i].high) return true;
    return false;
}

void audit_locked(uintptr_t address)
{
    if (audit_in_library(address)) rt.audit->call.is_locked = true;
}

static bool is_valid(uintptr_t a)
{
    uint8_t state = rt.heap.state[(a - (uintptr_t)rt.heap.base) / 8];
    return state <= 8 && (a & 7) < state;
}

/* A vector load may have begun its way up to so many bytes before, and go beyond the end. */
static bool is_bad(uintptr_t address, size_t size, bool is_loose)
{
    enum { BEFORE = 256 };
    uintptr_t from = is_loose && address - (uintptr_t)rt.heap.base > BEFORE ? address - BEFORE : address;
    size_t valid = 0;
    for (uintptr_t a = from; a < address + size; a++) valid += is_valid(a);
    return is_loose ? !valid : valid < size;
}

/* One of the last accesses of the same kind that this one continues; a loop over memory has a few such streams. */
static struct found_access *continued(uintptr_t address, bool write)
{
    enum { STREAMS = 8 };
    struct audited_call *c = &rt.audit->call;
    for (uint32_t i = c->found_count; i > 0 && i + STREAMS > c->found_count; i--) {
        struct found_access *f = &c->found[i - 1];
        if (f->write == write && address >= f->address && address <= f->address + f->size) return f;
    }
    return NULL;
}

static void keep(uintptr_t address, size_t size, bool write)
{
    struct audited_call *c = &rt.audit->call;
    struct found_access *f = continued(address, write);
    if (c->site && (write || !audit_in_library(address))) c->site->has_accesses = true;
    if (f) {
        size_t upto = address + size - f->address;
        if (upto > f->size) f->size = (uint32_t)upto;
    } else if (c->found_count < MAX_FOUND) {
        c->found[c->found_count++] = (struct found_access){address, (uint32_t)size, write};
    } else {
        c->is_cut = true;
    }
}

void audit_found(uintptr_t address, size_t size, bool write, bool is_loose)
{
    struct audited_call *c = &rt.audit->call;
    if (c->is_locked && audit_in_library(address)) return;
    if (rt_in_heap(address) && is_bad(address, size, is_loose)) {
        guard_give_up();
        rt.audits_call = c->in_progress = false;
        rt_heap_check(address, size, write, c->pc);
    }
    if (!rt_is_standard_state(address)) keep(address, size, write);
}

/* An announced write covers reads, too: whatever conflicts with a read conflicts with it. */
static size_t announced_from(uintptr_t a, uintptr_t end, bool write)
{
    const struct audited_call *c = &rt.audit->call;
    for (uint32_t i = 0; i < c->announced_count; i++) {
        const struct found_access *n = &c->announced[i];
        uintptr_t upto = n->address + n->size;
        if (a >= n->address && a < upto && (n->write || !write)) return (upto < end ? upto : end) - a;
    }
    return 0;
}

static void settle_access(const struct found_access *f)
{
    const struct audited_call *c = &rt.audit->call;
    for (uintptr_t a = f->address, end = a + f->size; a < end;) {
        size_t skipped = announced_from(a, end, f->write), size = 1;
        if (skipped) {
            a += skipped;
            continue;
        }
        while (a + size < end && !announced_from(a + size, end, f->write)) size++;
        touches_add(a, size, f->write, true, c->pc);
        if (f->write && rt_stack_owner(a) != c->thread) rt_unexplored(RT_LIBRARY_WRITES);
        a += size;
    }
}

/* Without the wait for what a wrapper may announce afterwards. */
static void settle_so_far(void)
{
    struct audited_call *c = &rt.audit->call;
    for (uint32_t i = 0; rt.follows_touches && i < c->found_count; i++) settle_access(&c->found[i]);
    c->found_count = 0;
}

void audit_pauses(void)
{
    if (!rt.audit->call.has_row) settle_so_far();
}

void audit_settle(void)
{
    if (!rt.audits_call) return;
    settle_so_far();
    rt.audits_call = rt.audit->call.in_progress = false;
}

static void announce(struct found_access *list, uint32_t *count, uintptr_t address, size_t size, bool write)
{
    if (*count < MAX_ANNOUNCED) list[(*count)++] = (struct found_access){address, (uint32_t)size, write};
}

void rt_audit_access(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    struct audit *a = rt.audit;
    struct audited_call *c = &a->call;
    if (a->guard.is_on && audit_is_observed(pc)) guard_give_up(), audit_call_over();
    if (rt.audits_call && !c->in_progress) {
        if (c->pc == pc && c->thread == rt.self->id) announce(c->announced, &c->announced_count, address, size, write);
        else audit_settle();
    }
    if (a->ring.pc != pc || a->ring.thread != rt.self->id) a->ring.count = 0;
    a->ring.pc = pc;
    a->ring.thread = rt.self->id;
    announce(a->ring.at, &a->ring.count, address, size, write);
    touches_add(address, size, write, false, pc);
}

void rt_audit_switch(void)
{
    if (rt.audit->guard.is_on) guard_give_up(), audit_call_over();
    settle_so_far();
}

void rt_audit_fork(const struct thread *child)
{
    if (rt.audit->start_is_settled) entries_forget();
    rt.audit->start_is_settled = false;
    if (!rt.follows_touches) return;
    settle_so_far();
    touches_fork(child);
}

void rt_audit_join(const struct thread *ended)
{
    settle_so_far();
    touches_join(ended);
}

/* Observed code was called by foreign code. */
void rt_audit_entered(uintptr_t return_address, uintptr_t sp)
{
    if (rt.audit->guard.is_on && !audit_is_observed(return_address)) guard_pause(return_address, sp);
}

static bool is_own_call(uintptr_t pc)
{
    const struct rt_shared *s = rt.shared;
    for (uint32_t i = 0; i < s->call_site_count; i++)
        if (s->call_sites[i].is_own && s->call_sites[i].pc == pc) return true;
    return false;
}

/* Of two calls on state of the library either way says the same. */
static bool is_same_pair(const struct rt_unobserved *u, const struct audit_conflict *c)
{
    bool is_turned = u->is_library && u->pc == c->other_pc && u->other_pc == c->pc;
    return !u->system_call && (is_turned || (u->pc == c->pc && u->other_pc == c->other_pc));
}

/* The private data of libraries is none of the program's: blocks that they allocated. Classes that gate.c names keep
 * state without a lock, also there. */
static bool is_private(uintptr_t address, uintptr_t pc)
{
    struct rt_home home;
    const struct rt_call_site *site = find(pc);
    if (!rt_heap_home(address, &home) || (home.pc && !rt_is_library_code(home.pc))) return false;
    return !site || strncmp(site->name, "std::pmr::", 10) != 0;
}

void audit_conflict(const struct audit_conflict *c)
{
    struct rt_shared *s = rt.shared;
    if (!is_own_call(c->pc) && rt_in_standard_stream(c->address)) return; /* which any number of threads may use */
    if (!is_own_call(c->pc) && is_private(c->address, c->pc)) return;
    for (uint32_t i = 0; i < s->unobserved_count; i++)
        if (is_same_pair(&s->unobserved[i], c)) return;
    if (s->unobserved_count == RT_MAX_UNOBSERVED) return;
    const struct rt_call_site *site = find(c->pc);
    struct rt_unobserved *u = &s->unobserved[s->unobserved_count++];
    *u = (struct rt_unobserved){.pc = c->pc, .other_pc = c->other_pc, .address = c->address, .thread = c->thread,
                                .other = c->other, .writes = c->writes, .other_writes = c->other_writes,
                                .is_library = audit_in_library(c->address)};
    if (site) memcpy(u->name, site->name, sizeof u->name);
}

/* One of each call site is enough. */
void audit_system_call(long number)
{
    struct rt_shared *s = rt.shared;
    const struct audited_call *c = &rt.audit->call;
    if (c->has_row || !c->in_progress || rt_is_alone()) return;
    for (uint32_t i = 0; i < s->unobserved_count; i++)
        if (s->unobserved[i].pc == c->pc && s->unobserved[i].system_call) return;
    if (s->unobserved_count == RT_MAX_UNOBSERVED) return;
    const struct rt_call_site *site = find(c->pc);
    struct rt_unobserved *u = &s->unobserved[s->unobserved_count++];
    *u = (struct rt_unobserved){.pc = c->pc, .thread = c->thread, .system_call = (uint16_t)(number + 1)};
    if (site) memcpy(u->name, site->name, sizeof u->name);
}

/* ---- executions ---- */

/* The schedule of the execution just run is kept if it came by new call sites. */
void rt_audit_keep_schedule(void)
{
    struct rt_shared *s = rt.shared;
    if (!rt.audit || !s->audit_met || rt.audit->is_running) return;
    s->audit_met = false;
    if (rt.found.kind || s->step_count > RT_MAX_STEPS) {
        rt_audit_forget();
        return;
    }
    memcpy(s->audit_steps, s->steps, sizeof s->steps[0] * s->step_count);
    s->audit_step_count = s->step_count;
    s->audit_pending = true;
}

void rt_audit_execution_over(void)
{
    struct audit *a = rt.audit;
    if (!a) return;
    guard_give_up();
    if (a->call.in_progress) audit_call_over();
    audit_settle();
}

/* Call sites that were wanted are met again in another execution. */
void rt_audit_forget(void)
{
    struct rt_shared *s = rt.shared;
    if (!rt.audit) return;
    for (uint32_t i = 0; i < s->call_site_count; i++)
        if (s->call_sites[i].state == RT_SITE_WANTED) s->call_sites[i].state = RT_SITE_NEW;
    s->audit_pending = s->audit_met = false;
    gate_forget();
}

static void count_tries(void)
{
    struct rt_shared *s = rt.shared;
    for (uint32_t i = 0; i < s->call_site_count; i++) {
        struct rt_call_site *c = &s->call_sites[i];
        if (c->state == RT_SITE_WANTED && ++c->tries == MOST_TRIES) c->state = RT_SITE_MISSED;
    }
}

static void run_once(void (*run)(void))
{
    struct audit *a = rt.audit;
    for (uint32_t i = 0; i < rt.shared->call_site_count; i++) {
        rt.shared->call_sites[i].calls = 0;
        memset(rt.shared->call_sites[i].calls_of, 0, sizeof rt.shared->call_sites[i].calls_of);
    }
    gate_forget();
    touches_begin();
    a->ring.count = 0;
    a->is_running = rt.follows_touches = rt.check_plain = true;
    rt_follow(rt.shared->audit_steps, rt.shared->audit_step_count, run);
    a->is_running = rt.follows_touches = false;
}

static void run_again(void (*run)(void))
{
    struct audit *a = rt.audit;
    bool checked_plain = rt.check_plain;
    a->wants_repeats = a->repeats = false;
    run_once(run);
    a->repeats = a->wants_repeats && !rt.found.kind && !audit_is_over_budget();
    if (a->repeats) run_once(run);
    rt.check_plain = checked_plain;
    count_tries();
    rt_audit_forget();
}

void rt_audit_go_on(void (*run)(void))
{
    struct audit *a = rt.audit;
    if (likely(!a || !rt.shared->audit_pending) || rt.shared->findings || rt.branch.unwound) return;
    if (a->patience && --a->patience) return;
    double since = start_clock();
    a->patience = 0;
    if (audit_is_over_budget()) a->patience = WAIT;
    else run_again(run), stop_clock(since);
}
