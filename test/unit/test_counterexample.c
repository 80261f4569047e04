/* Traces built from schedules, and their simplification, against trying all interleavings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mock_model.h"
#include "search/search_int.h"

#include <unistd.h>

static struct search_result first_error(struct model *m, enum search_kind kind)
{
    struct search_options o = {.kind = kind, .bound = -1};
    struct search_result r;
    search_run(m, &o, &r);
    return r;
}

/* ---- the referee: all interleavings of the same local sequences, tried one by one ---- */

enum { MOST_STEPS = 9 };
struct step { int pid, last; uint32_t move_count; struct move moves[2]; bool fault, waits; };
struct referee { struct model *m; struct step steps[MOST_STEPS]; int count; bool deadlock; long best; };

struct taken { struct step steps[64]; uint8_t states[64][1 + MOCK_MOST]; int count; };

static bool take(void *ctx, const struct successor *s)
{
    struct taken *t = ctx;
    struct step *k = &t->steps[t->count];
    *k = (struct step){.pid = s->pid, .last = s->last, .move_count = s->move_count, .fault = s->fault, .waits = s->timeout};
    memcpy(k->moves, s->moves, s->move_count * sizeof *s->moves);
    if (s->state) memcpy(t->states[t->count], s->state, s->size);
    t->count++;
    return true;
}

static bool takes_part(const struct step *s, int pid)
{
    for (uint32_t i = 0; i < s->move_count; i++)
        if (s->moves[i].pid == pid) return true;
    return false;
}

/* Step i may come next if no earlier step that is left shares a process with it. */
static bool may_come_next(const struct referee *f, unsigned left, int i)
{
    for (int j = 0; j < i; j++)
        if (left >> j & 1)
            for (uint32_t k = 0; k < f->steps[i].move_count; k++)
                if (takes_part(&f->steps[j], f->steps[i].moves[k].pid)) return false;
    return true;
}

static bool same_step(const struct step *a, const struct step *b)
{
    return a->pid == b->pid && a->last == b->last && a->fault == b->fault && a->move_count == b->move_count &&
           a->moves[0].transition == b->moves[0].transition;
}

static void try_all(struct referee *f, const uint8_t *state, unsigned left, int last, long cost)
{
    struct taken t = {.count = 0};
    bool last_enabled = false;
    f->m->ops->successors(f->m, state, f->m->max_state, MODEL_ALL, false, take, &t);
    for (int k = 0; k < t.count; k++) last_enabled |= t.steps[k].pid == last && !t.steps[k].waits;
    if (f->deadlock && !t.count && !f->m->ops->valid_end(f->m, state)) f->best = MIN(f->best, cost);
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < t.count; k++) {
            if (!(left >> i & 1) || !may_come_next(f, left, i) || !same_step(&f->steps[i], &t.steps[k])) continue;
            long next_cost = cost + (last_enabled && t.steps[k].pid != last);
            if (i == f->count - 1 && !f->deadlock) f->best = MIN(f->best, next_cost);
            else try_all(f, t.states[k], left & ~(1u << i), t.steps[k].last, next_cost);
        }
}

static long best_interleaving(struct model *m, const struct schedule *s)
{
    struct referee f = {.m = m, .count = (int)s->choices.len, .deadlock = s->deadlock, .best = 1000};
    struct replay *r = replay_new(m);
    for (int i = 0; i < f.count; i++) {
        const struct successor *t = replay_step(r, s->choices.at[i]);
        f.steps[i] = (struct step){.pid = t->pid, .last = t->last, .move_count = t->move_count, .fault = t->fault};
        memcpy(f.steps[i].moves, t->moves, t->move_count * sizeof *t->moves);
    }
    replay_free(r);
    uint8_t state[1 + MOCK_MOST];
    m->ops->initial(m, state);
    try_all(&f, state, (1u << f.count) - 1, MODEL_NOBODY, 0);
    return f.best;
}

static void simplification(void **unused)
{
    (void)unused;
    int compared = 0, improved = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct mock *k = mock_random_system(seed, (struct mock_mix){.fail_percent = 6, .rendezvous_percent = 10, .timeout_percent = 5});
        struct search_result r = first_error(&k->model, seed % 2 ? SEARCH_DFS : SEARCH_BFS);
        if (r.has_error) {
            struct schedule better;
            enum simplified answer = schedule_simplify(&k->model, &r.error, &better, 100000, NULL);
            assert_int_not_equal(answer, SIMPLIFIED_GAVE_UP);
            const struct schedule *best = answer == SIMPLIFIED_SHORTER ? &better : &r.error;
            struct trace *t = trace_of_schedule(&k->model, best);
            assert_non_null(t); /* it still fails */
            assert_true(best->choices.len <= r.error.choices.len);
            if (r.error.choices.len <= MOST_STEPS) {
                assert_int_equal(trace_count(t).preemptions, best_interleaving(&k->model, &r.error));
                compared++;
            }
            improved += schedule_preemptions(&k->model, best) < schedule_preemptions(&k->model, &r.error);
            trace_free(t);
            schedule_release(&better);
        }
        search_result_release(&r);
        k->model.ops->free(&k->model);
    }
    assert_true(compared > 500);
    assert_true(improved > 50);
}

static void traces_count_for_themselves(void **unused)
{
    (void)unused;
    int seen = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct mock *k = mock_random_system(seed, (struct mock_mix){.fail_percent = 6, .rendezvous_percent = 25, .timeout_percent = 5});
        struct search_result r = first_error(&k->model, (enum search_kind)(seed % 3));
        if (r.has_error) {
            struct trace *t = trace_of_schedule(&k->model, &r.error);
            assert_non_null(t);
            assert_int_equal(trace_count(t).steps, r.error.choices.len);
            assert_int_equal(trace_count(t).preemptions, schedule_preemptions(&k->model, &r.error));
            assert_string_equal(t->kind, r.error.deadlock ? "deadlock" : "assertion");
            struct schedule again;
            schedule_of_trace(t, &again);
            assert_int_equal(again.choices.len, r.error.choices.len);
            assert_int_equal(again.deadlock, r.error.deadlock);
            schedule_release(&again);
            trace_free(t);
            seen++;
        }
        search_result_release(&r);
        k->model.ops->free(&k->model);
    }
    assert_true(seen > 300);
}

/* A schedule that does not end in an error is not a counterexample. */
static void no_error_no_trace(void **unused)
{
    (void)unused;
    struct mock *k = mock_new(1);
    vec_push(&k->rules, mock_rule(0, 0, 1));
    struct schedule s = {0};
    assert_null(trace_of_schedule(&k->model, &s));
    vec_push(&s.choices, 0);
    assert_null(trace_of_schedule(&k->model, &s));
    s.deadlock = true;
    struct trace *t = trace_of_schedule(&k->model, &s);
    assert_non_null(t);
    trace_free(t);
    vec_push(&s.choices, 7); /* there is no such step */
    assert_null(trace_of_schedule(&k->model, &s));
    schedule_release(&s);
    k->model.ops->free(&k->model);
}

static void files_keep_everything(void **unused)
{
    (void)unused;
    struct mock *k = mock_new(2);
    struct mock_rule r = mock_rule(0, 0, 1);
    r.partner = 1, r.partner_from = 0, r.partner_to = 1;
    for (int v = 0; v < MOCK_VALUES; v++) r.next[v] = 3;
    vec_push(&k->rules, r);
    struct schedule s = {.deadlock = true};
    vec_push(&s.choices, 0);
    struct trace *t = trace_of_schedule(&k->model, &s);
    t->input = "mock.pml";
    t->engine = "explicit";
    char path[] = "/tmp/heddle-test-XXXXXX", *error = NULL;
    close(mkstemp(path));
    assert_int_equal(trace_write(t, path), 0);
    struct trace *u = trace_read(path, &error);
    assert_non_null(u);
    assert_int_equal(u->steps.len, 1);
    assert_int_equal(u->steps.at[0].last, 1);
    assert_int_equal(u->steps.at[0].partner, 1);
    assert_int_equal(u->steps.at[0].parts.len, 2);
    assert_int_equal(u->steps.at[0].parts.at[1].thread, 1);
    assert_string_equal(u->steps.at[0].changes.at[0].value, "3");
    assert_string_equal(u->threads.at[1].name, "p:1");
    unlink(path);
    trace_free(t);
    trace_free(u);
    schedule_release(&s);
    k->model.ops->free(&k->model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplification), cmocka_unit_test(traces_count_for_themselves),
        cmocka_unit_test(no_error_no_trace), cmocka_unit_test(files_keep_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
