/* Explores a program for arm64 under qemu-user: explore STRATEGY PROGRAM [ARGUMENT...], where a strategy is its number
 * (schedule.h). Prints what came out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/native.h"

static const char *const kinds[] = {
#define KIND(name, text) text,
    RT_FINDINGS(KIND)
#undef KIND
};

/* Again where the program needs more threads, or a plainer strategy, as heddle itself does. */
static void explore(struct native_run *run, struct rt_config *config, const struct native_program *program)
{
    struct limits limits = limits_start(120, 0);
    for (;;) {
        native_run_init(run, config);
        native_run(run, program, &limits, NULL, NULL);
        if (run->shared->status == RT_MORE_THREADS && config->threads < 64) config->threads *= 2;
        else if (run->shared->status == RT_PLAINER && sched_asks_of_cuts(config->strategy))
            config->strategy = config->strategy == SCHED_OPTIMAL ? SCHED_DPOR : SCHED_BPOR;
        else return;
        native_run_release(run);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 10) return 2;
    const char *arguments[16] = {"-L", "/usr/aarch64-linux-gnu"};
    memcpy(arguments + 2, argv + 2, (size_t)(argc - 2) * sizeof *argv);
    struct native_program program = {.path = "/usr/bin/qemu-aarch64", .arguments = arguments, .step_seconds = 60};
    struct rt_config config = {.mode = RT_EXPLORE, .bound = -1, .fair_bound = 1, .max_steps = 20000, .threads = 8,
                               .rising = true, .endless = true, .strategy = (enum sched_strategy)atoi(argv[1]),
                               .weak_memory = true, .exit_accepted = {1}};
    struct native_run run;
    explore(&run, &config, &program);
    const struct rt_shared *s = run.shared;
    if (s->findings) printf("found: %s: %s\n", kinds[s->finding.kind], s->finding.message);
    else printf("%s, %s, %llu schedules\n", s->status == RT_FINISHED ? "finished" : s->finding.message,
                s->stats.complete ? "complete" : "cut short", (unsigned long long)s->stats.executions);
    native_run_release(&run);
}
