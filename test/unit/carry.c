/* A search divided among programs that share no memory: parts, answers and what the program knows of itself go from one
 * to the other as bytes, as they would between machines. The ledger is that of the program alone. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "native/native.h"

static const char source[] = "#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n"
                             "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int order[N], met;\n"
                             "static atomic_int wrong;\n"
                             "static void *run(void *p) {\n"
                             "    pthread_mutex_lock(&m);\n    order[met++] = (int)(long)p;\n"
                             "    pthread_mutex_unlock(&m);\n    return p;\n}\n"
                             "int main(void) {\n    pthread_t t[N];\n"
                             "    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, run, (void *)i);\n"
                             "    for (int i = 0; i < N; i++) pthread_join(t[i], 0);\n"
                             "    for (int i = 0; i < N; i++) wrong += order[i] == (i * 3 + 6) % N;\n"
                             "#ifdef FAILS\n    assert(wrong < N);\n#endif\n}\n";

/* In weak memory a part has places in it, which are no addresses on the way. */
static const char weak_source[] =
    "#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"
    "static atomic_int *x;\nstatic atomic_int y;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "static int order, sum[3];\n"
    "static void *run(void *p) {\n    int i = (int)(long)p, seen = 0;\n"
    "    atomic_store_explicit(x, i + 1, memory_order_relaxed);\n"
    "    pthread_mutex_lock(&m);\n    order = order * 4 + i;\n    pthread_mutex_unlock(&m);\n"
    "    atomic_compare_exchange_strong_explicit(&y, &seen, i, memory_order_acq_rel, memory_order_relaxed);\n"
    "    seen += atomic_load_explicit(x, memory_order_relaxed);\n"
    "    atomic_store_explicit(x, seen, memory_order_relaxed);\n    sum[i] = seen;\n    return p;\n}\n"
    "int main(void) {\n    pthread_t t[3];\n    x = calloc(1, sizeof *x);\n"
    "    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, run, (void *)i);\n"
    "    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);\n    free(x);\n"
    "    for (volatile int i = 0; i < SPEND; i++) {}\n" /* else it is over before a part gets anywhere */
    "#ifdef FAILS\n    assert(sum[0] * 100 + sum[1] * 10 + sum[2] != FAILS);\n#endif\n}\n";

static char folder[] = "/tmp/heddle-carry-XXXXXX";
static const char *const no_arguments[] = {NULL};

static struct native_program build(const char *name, const char *text, const char *flags)
{
    static char path[200], command[600];
    const char *heddle = getenv("HEDDLE");
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    snprintf(command, sizeof command, "%s cc -O1 -pthread %s %s -o %s/%s", heddle ? heddle : "build/heddle", flags,
             path, folder, name);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return (struct native_program){path, no_arguments, 10};
}

static struct rt_config config_for(enum sched_strategy strategy)
{
    return (struct rt_config){.mode = RT_EXPLORE, .races = RT_RACES_ERROR, .strategy = strategy, .bound = -1,
                              .fair_bound = -1, .rising = strategy == SCHED_BPOR, .max_steps = 10000, .threads = 16,
                              .processes = 1, .weak_memory = true, .exit_accepted = {1}};
}

/* What one who carries messages has to do for one program elsewhere. */
struct carrier {
    struct native_run *home, *away;
    const struct native_program *program;
    pid_t pid;            /* of whoever looks after the program elsewhere; 0: it is not running */
    uint32_t knows;       /* what that one was told */
    bool has_part;        /* one of home's is there */
    uint32_t there, here; /* under these numbers */
    uint64_t carried, lost;
    int kill_at;          /* after so many parts it is lost once */
};

static void end_away(struct carrier *c)
{
    c->away->shared->stop = true;
    waitpid(c->pid, NULL, 0);
    c->pid = 0;
}

/* The program elsewhere, knowing what the one at home knows by now. */
static void begin_away(struct carrier *c)
{
    struct rt_knowledge *k = xcalloc(1, sizeof *k);
    struct rt_config config = c->home->config;
    config.far = 0;
    config.serves = true;
    native_knowledge(c->home->shared, k);
    if (c->away->shared) native_run_release(c->away);
    native_run_init(c->away, &config);
    native_know(c->away->shared, k);
    c->knows = k->knows;
    free(k);
    if ((c->pid = fork())) return;
    struct limits limits = {.memory = SIZE_MAX};
    native_run(c->away, c->program, &limits, NULL, NULL);
    _exit(c->away->shared->status != RT_FINISHED);
}

static void send_part(struct carrier *c)
{
    size_t size;
    if (!depot_take(&c->home->depot, &c->here, &size)) return;
    depot_set_idle(&c->home->depot, false);
    if (c->pid && c->knows != c->home->shared->knows) end_away(c);
    if (!c->pid) begin_away(c);
    assert_true(depot_open(&c->away->depot, &c->there));
    memcpy(depot_part_room(&c->away->depot, c->there), depot_part_room(&c->home->depot, c->here), size);
    depot_post(&c->away->depot, c->there, size);
    c->has_part = true;
}

static void bring_answer(struct carrier *c)
{
    const struct depot *home = &c->home->depot, *away = &c->away->depot;
    struct depot_answer a = depot_read(away, c->there);
    memcpy(depot_answer_room(home, c->here), a.at, a.size);
    depot_answer(home, c->here, a.size, a.failed, a.failed_steps);
    depot_withdraw(away, c->there);
    c->has_part = false;
    c->carried++;
}

static void lose_part(struct carrier *c)
{
    depot_drop(&c->home->depot, c->here);
    c->has_part = false;
    c->lost++;
}

static void carry(void *context, const struct rt_shared *shared)
{
    struct carrier *c = context;
    (void)shared;
    for (int rounds = 0; rounds < 400; rounds++) {
        if (!c->has_part) {
            depot_set_idle(&c->home->depot, true);
            send_part(c);
        } else if (!depot_is_wanted(&c->home->depot, c->here)) {
            depot_withdraw(&c->away->depot, c->there);
            lose_part(c);
        } else if (depot_ask(&c->away->depot, c->there) == DEPOT_ANSWERED) {
            bring_answer(c);
        } else if (c->kill_at && c->carried >= (uint64_t)c->kill_at) {
            c->kill_at = 0;
            end_away(c);
            lose_part(c);
        } else if (waitpid(c->pid, NULL, WNOHANG) == c->pid) {
            c->pid = 0;
            lose_part(c);
        }
        usleep(100);
    }
}

static void same_ledger(const struct rt_shared *a, const struct rt_shared *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->stats.stop, b->stats.stop);
    assert_int_equal(a->stats.levels, b->stats.levels);
    for (int i = 0; i < a->stats.levels; i++) {
        assert_int_equal(a->stats.level[i].executions, b->stats.level[i].executions);
        assert_int_equal(a->stats.level[i].blocked, b->stats.level[i].blocked);
        assert_int_equal(a->stats.level[i].steps, b->stats.level[i].steps);
    }
    assert_int_equal(a->first_step_count, b->first_step_count);
    if (!a->findings) return;
    assert_memory_equal(a->first_steps, b->first_steps, a->first_step_count * sizeof a->first_steps[0]);
}

/* How many parts were explored elsewhere. */
static uint64_t divided(const struct native_program *p, const struct rt_config *config, const struct rt_shared *alone,
                        int kill_at)
{
    struct limits limits = {.memory = SIZE_MAX};
    struct native_run home, away = {0};
    native_run_init(&home, config);
    struct carrier c = {.home = &home, .away = &away, .program = p, .kill_at = kill_at};
    depot_set_idle(&home.depot, true);
    native_run(&home, p, &limits, carry, &c);
    if (c.pid) end_away(&c);
    print_message("%llu schedules; %llu parts were explored elsewhere, %llu were lost\n",
                  (unsigned long long)home.shared->stats.executions, (unsigned long long)c.carried,
                  (unsigned long long)c.lost);
    same_ledger(alone, home.shared);
    native_run_release(&home);
    if (away.shared) native_run_release(&away);
    return c.carried;
}

/* Again if the program was done before anything could be carried. */
static void compare(const struct native_program *p, enum sched_strategy strategy, int kill_at)
{
    enum { ATTEMPTS = 20 };
    struct rt_config config = config_for(strategy);
    struct limits limits = {.memory = SIZE_MAX};
    struct native_run alone;
    uint64_t carried = 0;
    native_run_init(&alone, &config);
    native_run(&alone, p, &limits, NULL, NULL);
    config.far = 1;
    for (int i = 0; i < ATTEMPTS && !carried; i++) carried = divided(p, &config, alone.shared, kill_at);
    assert_true(carried > 0);
    native_run_release(&alone);
}

static void all_schedules(void **state)
{
    (void)state;
    struct native_program p = build("all", source, "-DN=8");
    compare(&p, SCHED_DPOR, 0);
    compare(&p, SCHED_DPOR, 2);
}

static void first_error(void **state)
{
    (void)state;
    struct native_program p = build("fails", source, "-DN=8 -DFAILS");
    compare(&p, SCHED_DPOR, 0);
}

static void bounds(void **state)
{
    (void)state;
    struct native_program p = build("bounds", source, "-DN=5");
    compare(&p, SCHED_ICB, 0);
}

static void weak_memory(void **state)
{
    (void)state;
    struct native_program p = build("weak", weak_source, "-DSPEND=20000");
    compare(&p, SCHED_OPTIMAL, 0);
    compare(&p, SCHED_OPTIMAL, 2);
    p = build("weak-fails", weak_source, "-DSPEND=100000 -DFAILS=542");
    compare(&p, SCHED_OPTIMAL, 0);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_schedules), cmocka_unit_test(first_error),
                                       cmocka_unit_test(bounds), cmocka_unit_test(weak_memory)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 1 : failed;
}
