/* Deadline, memory and interruption of a check. */
#define _GNU_SOURCE
#include "base/limits.h"

#include "base/leftovers_int.h"

#include <assert.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a signal handler can reach; nothing else in the program is changed from outside. */
static volatile sig_atomic_t signalled;
static volatile time_t signalled_at;

/* timeout(1) and terminals send a signal to the process and to its group, so one wish to stop arrives twice. */
static void on_signal(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (signalled && now.tv_sec > signalled_at + 1) leftovers_die(number);
    if (!signalled) signalled_at = now.tv_sec;
    signalled = 1;
}

static void handle_signals(void (*handler)(int))
{
    /* interrupted, a write of the verdict would be an error */
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaddset(&a.sa_mask, SIGINT);
    sigaddset(&a.sa_mask, SIGTERM);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

void limits_catch_signals(void) { handle_signals(on_signal); }

static void end_on_signal(int number)
{
    static const char words[] = "heddle: interrupted\n";
    (void)number;
    leftovers_remove();
    ssize_t written = write(2, words, sizeof words - 1);
    _exit(written < 0 ? EXIT_BAD_INPUT : EXIT_UNKNOWN);
}

void limits_end_on_signals(void) { handle_signals(end_on_signal); }

void limits_ignore_signals(void) { handle_signals(SIG_IGN); }

bool limits_interrupted(void) { return signalled; }

/* ---- memory ---- */

/* The number in a file of the kernel, or `otherwise`. */
static size_t number_in(const char *path, size_t otherwise)
{
    unsigned long long n;
    FILE *f = fopen(path, "re");
    if (!f) return otherwise;
    bool good = fscanf(f, "%llu", &n) == 1; /* "max" is no number: no limit */
    fclose(f);
    return good ? (size_t)n : otherwise;
}

static size_t machine_free(void)
{
    size_t kilobytes = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %zu", &kilobytes) == 1) break;
    if (f) fclose(f);
    return kilobytes * 1024;
}

/* What one control group leaves free; SIZE_MAX: it has no limit. Page cache that was counted can be given back. */
static size_t group_free(const char *directory, const char *limit_name, const char *used_name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", directory, limit_name);
    size_t limit = number_in(path, SIZE_MAX);
    if (limit >= SIZE_MAX / 2) return SIZE_MAX;
    snprintf(path, sizeof path, "%s/%s", directory, used_name);
    size_t used = number_in(path, 0), cache = 0;
    char line[128];
    snprintf(path, sizeof path, "%s/memory.stat", directory);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "inactive_file %zu", &cache) == 1) break;
    if (f) fclose(f);
    used -= MIN(cache, used);
    return limit > used ? limit - used : 0;
}

/* The least that this group and those around it leave free: a limit holds for everything below it. */
static size_t groups_free(const char *mount, const char *group, const char *limit_name, const char *used_name)
{
    char path[4096];
    size_t least = SIZE_MAX;
    if ((size_t)snprintf(path, sizeof path, "%s%s", mount, group) >= sizeof path) return SIZE_MAX;
    for (;;) {
        least = MIN(least, group_free(path, limit_name, used_name));
        char *slash = strrchr(path, '/');
        if (!slash || (size_t)(slash - path) < strlen(mount)) return least;
        *slash = 0;
    }
}

static size_t control_group_free(void)
{
    char line[4096], *path;
    size_t least = SIZE_MAX;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "0::", 3))
            least = MIN(least, groups_free("/sys/fs/cgroup", line + 3, "memory.max", "memory.current"));
        else if ((path = strstr(line, ":memory:")))
            least = MIN(least, groups_free("/sys/fs/cgroup/memory", path + 8, "memory.limit_in_bytes",
                                           "memory.usage_in_bytes"));
    }
    if (f) fclose(f);
    return least;
}

/* Without a limit the system would kill the run, and with it what was found out so far. */
static size_t default_memory(void)
{
    enum { LEAST = 64 << 20 };
    return MAX(MIN(machine_free(), control_group_free()) / 10 * 9, (size_t)LEAST);
}

/* What it is bound to; a control group may allow less of their time. */
int processors_allowed(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) ? (int)sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    long quota, period;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (f && fscanf(f, "%ld %ld", &quota, &period) == 2 && period > 0)
        count = (int)MIN(count, (quota + period - 1) / period);
    if (f) fclose(f);
    return MAX(count, 1);
}

/* ---- the limits ---- */

struct limits limits_start(double seconds, size_t memory)
{
    assert(seconds >= 0);
    double now = seconds_now();
    return (struct limits){.started = now, .deadline = seconds > 0 ? now + seconds : 0, .seconds = seconds,
                           .memory = memory ? memory : default_memory(), .memory_is_given = memory > 0};
}

enum limit limits_reached(const struct limits *l)
{
    if (signalled) return LIMIT_INTERRUPT;
    return l && l->deadline > 0 && seconds_now() >= l->deadline ? LIMIT_TIME : LIMIT_NONE;
}

enum limit limits_reached_memory(const struct limits *l)
{
    enum limit reached = limits_reached(l);
    if (reached == LIMIT_NONE && l && l->memory && memory_resident() > l->memory) return LIMIT_MEMORY;
    return reached;
}

struct limits limits_within(const struct limits *l, double seconds)
{
    assert(seconds >= 0);
    struct limits w = l ? *l : (struct limits){.memory = SIZE_MAX};
    double deadline = seconds_now() + seconds;
    w.deadline = w.deadline > 0 ? fmin(w.deadline, deadline) : deadline;
    assert(!l || l->deadline <= 0 || w.deadline <= l->deadline); /* a part never has more than the whole */
    return w;
}

double limits_left(const struct limits *l)
{
    if (!l || l->deadline <= 0) return INFINITY;
    return fmax(l->deadline - seconds_now(), 0);
}
