/* Explores a program for arm64 under qemu-user: explore STRATEGY PROGRAM, where a strategy is its number (schedule.h).
 * Prints what came out. */
#include <stdio.h>
#include <stdlib.h>

#include "native/native.h"

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    const char *arguments[] = {"-L", "/usr/aarch64-linux-gnu", argv[2], NULL};
    struct native_program program = {.path = "/usr/bin/qemu-aarch64", .arguments = arguments, .step_seconds = 60};
    struct rt_config config = {.mode = RT_EXPLORE, .bound = -1, .fair_bound = 1, .max_steps = 20000, .threads = 8,
                               .rising = true, .strategy = (enum sched_strategy)atoi(argv[1]), .weak_memory = true,
                               .exit_accepted = {1}};
    struct limits limits = limits_start(60, 0);
    struct native_run run;
    native_run_init(&run, &config);
    native_run(&run, &program, &limits, NULL, NULL);
    const struct rt_shared *s = run.shared;
    if (s->findings) printf("found a %s: %s\n", s->finding.kind == RT_RACE ? "race" : "failure", s->finding.message);
    else printf("%s, %s, %llu schedules\n", s->status == RT_FINISHED ? "finished" : s->finding.message,
                s->stats.complete ? "complete" : "cut short", (unsigned long long)s->stats.executions);
    native_run_release(&run);
}
