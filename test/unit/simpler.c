/* The directed search finds what there is, and an error that any search found becomes as simple as there is one where
 * all states are near enough: against a naive referee on random transition systems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mock_model.h"
#include "referee.h"
#include "search/vicinity_int.h"

enum { SYSTEMS = 1500 };

static struct search_result run_kind(struct model *m, struct search_options o)
{
    struct search_result r;
    search_run(m, &o, &r);
    return r;
}

static bool ends_in_error(struct referee *f, const struct schedule *s, bool no_deadlock)
{
    struct replay *r = replay_new(f->m);
    const struct successor *t = NULL;
    uint32_t size;
    bool blocked = true;
    for (size_t i = 0; i < s->choices.len; i++) assert_non_null(t = replay_step(r, s->choices.at[i]));
    const uint8_t *state = replay_state(r, &size);
    for (int p = 0; p < f->processes && size; p++) blocked &= !replay_process_enabled(r, p);
    bool stuck = size && blocked && !f->m->ops->valid_end(f->m, state);
    bool error = s->deadlock ? stuck && !no_deadlock : t && t->fault;
    replay_free(r);
    return error;
}

struct kept { struct model *m; struct schedule best; long preemptions; size_t steps; };

static void keep(void *ctx, struct schedule *s)
{
    struct kept *k = ctx;
    long preemptions = schedule_preemptions(k->m, s);
    assert_true(preemptions < k->preemptions || (preemptions == k->preemptions && s->choices.len < k->steps));
    schedule_release(&k->best);
    k->best = *s;
    k->preemptions = preemptions;
    k->steps = s->choices.len;
}

static void check_simple(struct referee *f, struct search_result *found, bool no_deadlock)
{
    struct search_options o = {.no_deadlock = no_deadlock, .bound = -1};
    struct kept k = {.m = f->m, .preemptions = schedule_preemptions(f->m, &found->error),
                     .steps = found->error.choices.len};
    schedule_make_simple(f->m, &o, &found->error, keep, &k);
    if (k.best.choices.len || k.best.deadlock) assert_true(ends_in_error(f, &k.best, no_deadlock));
    assert_int_equal(k.preemptions, f->cheapest_error);
    schedule_release(&k.best);
}

static void check_directed(struct referee *f, bool no_deadlock, uint64_t seed)
{
    struct search_result r = run_kind(f->m, (struct search_options){.kind = SEARCH_DIRECTED, .bound = -1,
        .no_deadlock = no_deadlock, .for_assertions = seed % 2});
    assert_int_equal(r.errors, f->errors > 0);
    if (f->errors) assert_true(ends_in_error(f, &r.error, no_deadlock));
    else assert_int_equal(r.states, referee_count(f));
    if (f->errors) check_simple(f, &r, no_deadlock);
    search_result_release(&r);
}

static void check_depth_first(struct referee *f, bool no_deadlock, uint64_t seed)
{
    struct search_result r = run_kind(f->m, (struct search_options){.kind = SEARCH_DFS, .bound = -1,
        .no_deadlock = no_deadlock, .order = (enum step_order)(seed % 3), .seed = seed});
    if (f->errors) check_simple(f, &r, no_deadlock);
    search_result_release(&r);
}

static void random_systems(struct mock_mix mix)
{
    int with_errors = 0, costly = 0;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        struct mock *k = mock_random_system(seed, mix);
        struct referee f;
        bool no_deadlock = seed % 3 == 0;
        assert_true(referee_run(&f, &k->model, no_deadlock, 100000));
        check_directed(&f, no_deadlock, seed);
        check_depth_first(&f, no_deadlock, seed);
        with_errors += f.errors > 0;
        costly += f.errors > 0 && f.cheapest_error > 0;
        referee_release(&f);
        k->model.ops->free(&k->model);
    }
    assert_true(with_errors > SYSTEMS / 10); /* else the test tests nothing */
    assert_true(costly > 0);
}

static void plain(void **state)
{
    (void)state;
    random_systems((struct mock_mix){.fail_percent = 4});
}

static void rendezvous_and_timeout(void **state)
{
    (void)state;
    random_systems((struct mock_mix){.fail_percent = 4, .rendezvous_percent = 15, .timeout_percent = 25});
}

/* A schedule is not lost where there is no room to make it simpler. */
static void no_room(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct mock *k = mock_random_system(seed, (struct mock_mix){.fail_percent = 4});
        struct search_result r = run_kind(&k->model, (struct search_options){.kind = SEARCH_DFS, .bound = -1});
        struct search_options o = {.bound = -1, .budget = 1};
        struct kept kept = {.m = &k->model, .steps = r.error.choices.len};
        kept.preemptions = schedule_preemptions(&k->model, &r.error);
        if (r.has_error) schedule_make_simple(&k->model, &o, &r.error, keep, &kept);
        schedule_release(&kept.best);
        search_result_release(&r);
        k->model.ops->free(&k->model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain), cmocka_unit_test(rendezvous_and_timeout),
                                       cmocka_unit_test(no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
