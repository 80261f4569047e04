/* Measures the strategies of src/schedule on programs in memory (test/schedule): executions per second, executions
 * needed per bound for a work-stealing queue, and share of the local states reached against time, as an SVG plot.
 *
 *   schedule speed | table | plot FILE.svg PROGRAM.txt TITLE FAIR    (FAIR: fair bound of all searches, -1: none) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explore.h"

/* Processor time, so that a busy machine does not change the numbers much. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void speed(const char *name, const struct program *p, enum sched_strategy strategy, int bound)
{
    double start = now(), seconds;
    uint64_t executions = 0, steps = 0;
    struct sched_stats stats;
    do {
        struct sched_config config = config_for(strategy, bound);
        config.max_executions = strategy == SCHED_RANDOM || strategy == SCHED_PCT ? 100000 : 0;
        stats = explore_fast(p, &config);
        executions += stats.executions + stats.blocked;
        steps += stats.steps;
        seconds = now() - start;
    } while (seconds < 1);
    printf("%-28s %-8s %8llu executions %10.0f per second %7.0f ns per step\n", name, sched_strategy_name(strategy),
           (unsigned long long)stats.executions, (double)executions / seconds, seconds / (double)steps * 1e9);
}

static void two_threads(struct program *p)
{
    const char *text = "thread\n add 0 1 0\n add 0 1 0\n add 0 1 0\n add 0 1 0\n add 0 1 0\n"
                       "thread\n add 0 1 0\n add 0 1 0\n add 0 1 0\n add 0 1 0\n add 0 1 0\n";
    program_parse(p, text);
}

static void last_zero(struct program *p, int n)
{
    char text[4000];
    int at = sprintf(text, "thread\n set 0 %d\n loadat 0 0 1\n skipeq 1 0 2\n addreg 0 -1\n backne 1 0 3\n", n);
    for (int j = 1; j <= n; j++)
        at += sprintf(text + at, "thread\n load %d 0\n storereg %d 0 1\n", j - 1, j);
    program_parse(p, text);
}

/* The queue of Cilk (T.H.E. protocol): the owner pushes and pops at the tail T (variable 1), a thief steals twice at
 * the head H (variable 0); only if they may meet the owner takes the lock. */
static void work_stealing(struct program *p, int size)
{
    char text[2000];
    snprintf(text, sizeof text,
             "thread\n"
             " set 2 0\n load 1 0\n storereg 1 0 1\n addreg 2 1\n backne 2 %d 3\n"
             " set 2 0\n"
             " load 1 0\n addreg 0 -1\n storereg 1 0 0\n load 0 1\n sub 1 0\n skipgt 1 0 1\n skipne 1 99 11\n"
             " storereg 1 0 1\n lock 0\n load 1 0\n addreg 0 -1\n storereg 1 0 0\n load 0 1\n sub 1 0\n skipgt 1 0 1\n "
             "skipne 1 99 1\n"
             " storereg 1 0 1\n unlock 0\n"
             " addreg 2 1\n backne 2 %d 19\n"
             "thread\n"
             " set 2 0\n lock 0\n load 0 0\n storereg 0 0 1\n load 1 1\n sub 1 0\n skipgt 1 0 1\n storereg 0 0 0\n "
             "unlock 0\n"
             " addreg 2 1\n backne 2 2 9\n",
             size, size);
    if (!program_parse(p, text))
        abort();
}

static void run_speed(void)
{
    static struct program p;
    two_threads(&p);
    static const enum sched_strategy all[] = {SCHED_DFS, SCHED_ICB, SCHED_RANDOM, SCHED_PCT, SCHED_DPOR, SCHED_OPTIMAL};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        speed("two threads, ten steps", &p, all[i], -1);
    speed("two threads, ten steps, <=2", &p, SCHED_BPOR, 2);
    speed("two threads, ten steps, <=2", &p, SCHED_CBPOR, 2);
    last_zero(&p, 10);
    speed("last-zero 10", &p, SCHED_OPTIMAL, -1);
    speed("last-zero 10", &p, SCHED_DPOR, -1);
}

static void run_table(void)
{
    static const enum sched_strategy shown[] = {SCHED_DFS, SCHED_CBPOR, SCHED_BPOR};
    printf("work-stealing queue: executions per preemption bound\n%-6s", "bound");
    for (int size = 3; size <= 5; size++)
        printf("  size %d: %-9s %-9s %-9s", size, "dfs", "cb-por", "bpor");
    printf("\n");
    for (int bound = 0; bound <= 4; bound++) {
        printf("%-6d", bound);
        for (int size = 3; size <= 5; size++) {
            printf("         ");
            for (int i = 0; i < 3; i++) {
                static struct program p;
                struct sched_config config = config_for(shown[i], bound);
                work_stealing(&p, size);
                struct sched_stats stats = explore_fast(&p, &config);
                printf(" %-9llu", (unsigned long long)(stats.executions + stats.blocked));
            }
        }
        printf("\n");
        fflush(stdout);
    }
}

/* One search: how many local states it reached in which time. */
struct point {
    double seconds;
    size_t locals;
    bool done;
};

static struct point measure(const struct program *p, enum sched_strategy strategy, int bound, int fair)
{
    static struct observed o;
    struct sched_config config = config_for(strategy, bound);
    double start = now();
    config.fair_bound = fair;
    config.max_executions = 1000000;
    struct sched_stats stats = explore_fast(p, &config);
    struct point point = {.seconds = now() - start, .done = stats.stop == SCHED_STOP_COMPLETE};
    config.max_executions = 100000;
    explore_program(&o, p, &config);
    point.locals = o.locals.len;
    return point;
}

static void svg_line(FILE *f, const struct point *at, int n, size_t all, const char *color, const char *name, int row)
{
    fprintf(f, "<polyline fill='none' stroke='%s' stroke-width='2' points='", color);
    for (int i = 0; i < n; i++) {
        double decades = __builtin_log10(at[i].seconds / 1e-6);
        fprintf(f, "%.1f,%.1f ", 60 + 400 * (double)at[i].locals / (double)all, 300 - 40 * (decades > 0 ? decades : 0));
    }
    fprintf(f, "'/>\n<text x='480' y='%d' fill='%s'>%s</text>\n", 60 + 20 * row, color, name);
}

static bool run_plot(const char *svg, const char *path, const char *title, int fair)
{
    static const struct {
        enum sched_strategy strategy;
        const char *color;
    } lines[] = {{SCHED_DFS, "#c33"}, {SCHED_BPOR, "#36c"}};
    static struct program p;
    static char text[20000];
    FILE *in = fopen(path, "r"), *f;
    if (!in)
        return false;
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    if (!program_parse(&p, text) || !(f = fopen(svg, "w")))
        return false;
    enum sched_strategy unbounded = fair < 0 ? SCHED_OPTIMAL : SCHED_BPOR; /* cycles need the fair bound */
    struct point whole = measure(&p, unbounded, -1, fair);
    printf("%s: %zu local states; %s without bound on preemptions %.4f s\n", title, whole.locals,
           sched_strategy_name(unbounded), whole.seconds);
    fprintf(
        f,
        "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='360' font-family='sans-serif' font-size='12'>\n"
        "<rect width='640' height='360' fill='white'/><text x='60' y='24' font-size='15'>%s</text>\n"
        "<path d='M60 20V300H460' fill='none' stroke='black'/>\n",
        title);
    for (int i = 0; i <= 6; i++)
        fprintf(f, "<text x='8' y='%d'>1e%d s</text>\n", 304 - 40 * i, i - 6);
    for (int i = 0; i <= 4; i++)
        fprintf(f, "<text x='%d' y='318'>%d%%</text>\n", 50 + 100 * i, 25 * i);
    fprintf(f, "<text x='180' y='340'>share of the local states, bounds 0, 1, 2, ...</text>\n");
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        struct point at[6];
        int n = 0;
        for (int bound = 0; bound < 6; bound++) {
            at[n] = measure(&p, lines[l].strategy, bound, fair);
            printf("  %-7s bound %d: %6zu local states %10.4f s%s\n", sched_strategy_name(lines[l].strategy), bound,
                   at[n].locals, at[n].seconds, at[n].done ? "" : " (stopped)");
            if (!at[n++].done)
                break;
        }
        svg_line(f, at, n, whole.locals, lines[l].color, sched_strategy_name(lines[l].strategy), (int)l);
    }
    fprintf(f, "<text x='480' y='120'>%s, unbounded (dot)</text>\n", sched_strategy_name(unbounded));
    double decades = __builtin_log10(whole.seconds / 1e-6);
    fprintf(f, "<circle cx='460' cy='%.1f' r='4'/>\n</svg>\n", 300 - 40 * (decades > 0 ? decades : 0));
    fclose(f);
    return true;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "speed"))
        run_speed();
    else if (argc == 2 && !strcmp(argv[1], "table"))
        run_table();
    else if (argc != 6 || strcmp(argv[1], "plot") || !run_plot(argv[2], argv[3], argv[4], atoi(argv[5])))
        return fprintf(stderr, "usage: schedule speed | table | plot FILE.svg PROGRAM.txt TITLE FAIR\n"), 2;
    return 0;
}
