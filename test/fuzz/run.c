/* Promela models are run: translated, compiled with libtcc, and explored twice, in order of preemptions with all
 * reductions and depth-first with none (--exact). Where both come to an end they must agree on whether there is an
 * error, and the schedule of an error must fail again when it is followed, also after a way through a trace file.
 * Models with embedded C are left out: what that does is its own affair. */
#include "fuzz.h"
#include "model/model.h"
#include "read_text.h"
#include "search/search.h"

#define SECONDS 0.4
#define MEMORY ((size_t)2 << 30) /* of the whole process, which the sanitizers make large */

static struct model *load(const char *text, bool exact)
{
    struct diags d = {0};
    struct program *p = promela_parse_text("fuzz.pml", text, strlen(text), NULL, &d);
    struct model *m = p ? promela_model(p, &(struct model_options){.exact = exact, .no_compiler = true}, &d) : NULL;
    must_hold(m || d.errors, "there is a model or an error", text);
    diags_release(&d);
    return m;
}

static struct trace *through_a_file(struct trace *t, const char *text)
{
    char *wrong;
    t->input = "fuzz.pml";
    t->engine = "explicit";
    char *json = trace_to_json(t);
    struct trace *again = trace_of_json("trace", json, strlen(json), &wrong);
    must_hold(again, wrong ? wrong : "", text);
    free(json);
    return again;
}

static void fails_again(struct model *m, const struct schedule *found, const char *text)
{
    struct schedule s;
    struct trace *first = trace_of_schedule(m, found);
    must_hold(first, "the schedule of an error fails when it is followed", text);
    struct trace *read = through_a_file(first, text);
    schedule_of_trace(read, &s);
    struct trace *second = trace_of_schedule(m, &s);
    must_hold(second && !strcmp(second->kind, first->kind), "the trace of an error can be replayed", text);
    schedule_release(&s);
    trace_free(first);
    trace_free(read);
    trace_free(second);
}

enum answer { NOT_KNOWN, PASSES, FAILS };

static enum answer explore(const char *text, bool exact)
{
    struct model *m = load(text, exact);
    struct search_result r;
    struct limits limits = limits_start(SECONDS, MEMORY);
    struct search_options o = {
        .kind = exact ? SEARCH_DFS : SEARCH_ORDERED, .bound = -1, .reduce = !exact, .limits = &limits};
    if (!m) return NOT_KNOWN;
    search_run(m, &o, &r);
    must_hold(!r.errors == !r.has_error, "an error comes with a schedule", text);
    enum answer a = r.has_error ? FAILS : r.stop == STOP_COMPLETE && !r.depth_cut ? PASSES : NOT_KNOWN;
    if (r.has_error) fails_again(m, &r.error, text);
    search_result_release(&r);
    m->ops->free(m);
    return a;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    if (!needs_preprocessor(text) && !strstr(text, "c_")) {
        enum answer reduced = explore(text, false), exact = reduced ? explore(text, true) : NOT_KNOWN;
        if (reduced && exact)
            must_hold(reduced == exact, "--exact finds an error if and only if the reduced search does", text);
    }
    free(text);
    return 0;
}
