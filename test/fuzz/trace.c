/* Trace files: what is read is printed, counted, made a schedule of, and written as a file that reads back the same. */
#include "fuzz.h"
#include "check/check.h"
#include "search/search.h"

static void print(const struct trace *t)
{
    FILE *out = fopen("/dev/null", "w");
    for (int width = 40; width <= 200; width += 80)
        trace_print(t, out, (struct trace_style){.width = width, .color = width > 100,
                                                 .most_steps = width < 100 ? 2 : 0});
    for (int p = 0; p < PICTURES; p++) {
        char *wrong = NULL;
        picture_print(p, t, out, (struct picture_style){0}, &wrong);
        free(wrong);
    }
    result_print_verdict(&(struct result){.error = (struct trace *)t}, out);
    fclose(out);
}

static void read_back(const struct trace *t)
{
    char *wrong, *once = trace_to_json(t);
    struct trace *again = trace_of_json("again", once, strlen(once), &wrong);
    must_hold(again, "what was written reads back", wrong);
    char *twice = trace_to_json(again);
    must_hold(!strcmp(once, twice), "it reads back as the same", once);
    trace_free(again);
    free(once);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *wrong;
    struct trace *t = trace_of_json("fuzz.trace", (const char *)data, size, &wrong);
    must_hold(!t == !!wrong, "there is a trace or a message", wrong);
    if (t) {
        struct schedule s;
        print(t);
        read_back(t);
        schedule_of_trace(t, &s);
        must_hold(s.choices.len == t->steps.len, "the schedule is that of the steps", NULL);
        must_hold(s.cycle_start <= s.choices.len, "the cycle starts with one of them, or after the last", NULL);
        schedule_release(&s);
    }
    trace_free(t);
    free(wrong);
    return 0;
}
