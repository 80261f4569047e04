/* Spin's trails, followed in a model that has all that trails speak of: a rendezvous, an atomic sequence, a choice, a
 * process that ends, an assertion. What is followed must be a run of the model. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "model/model.h"
#include "search/search.h"

#include <sys/mman.h>
#include <unistd.h>

static const char text[] =
    "chan c = [0] of { byte }; byte n;\n"
    "proctype other() { byte k; c?k; atomic { n = n + k; n++ }; if :: n > 2 -> n = 0 :: else fi }\n"
    "init { run other(); c!1; do :: n < 3 -> n++ :: n > 1 -> break od; assert(n != 2) }\n";

/* Made once: the compiler is not what is tested. */
static struct model *model(void)
{
    static struct model *m;
    struct diags d = {0};
    struct model_options o = {.exact = true, .no_compiler = true};
    if (!m) m = promela_model(promela_parse_text("trail.pml", text, sizeof text - 1, NULL, &d), &o, &d);
    must_hold(m, "the model can be made", NULL);
    diags_release(&d);
    return m;
}

static void follow(const uint8_t *data, size_t size, enum trail_end end)
{
    struct schedule s = {0};
    struct str path = {0};
    int fd = memfd_create("trail", 0);
    must_hold(fd >= 0 && write(fd, data, size) == (ssize_t)size, "the trail can be written", NULL);
    str_printf(&path, "/proc/self/fd/%d", fd);
    char *wrong = trail_schedule(model(), str_get(&path), end, &s);
    if (!wrong) {
        struct trace *t = trace_of_run(model(), &s);
        must_hold(t, "a trail that fits is a run of the model", NULL);
        trace_free(t);
    }
    free(wrong);
    close(fd);
    str_release(&path);
    schedule_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int end = TRAIL_AS_WRITTEN; end <= TRAIL_CYCLE_TWICE; end++) follow(data, size, (enum trail_end)end);
    return 0;
}
