/* The formats of pictures, one row each, and writing them to files. */
#include "show/show_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef void print_fn(const struct trace *t, FILE *out, struct picture_style style);

/* What a browser, or whoever draws the graph, still takes. Longer traces are shown with their middle left out. */
static const struct format {
    const char *name;
    print_fn *print;
    size_t most_steps, usual_steps;
} formats[] = {
    [PICTURE_HTML] = {"html", page_print, 1000000, 0},
    [PICTURE_SVG] = {"svg", svg_print, 20000, 400},
    [PICTURE_MERMAID] = {"mermaid", mermaid_print, 2000, 200},
    [PICTURE_DOT] = {"dot", dot_print, 20000, 1000},
};
static_assert(ARRAY_LEN(formats) == PICTURES, "every picture has a format");

const char *picture_name(enum picture p) { return formats[p].name; }

static bool fits(const struct format *f, const struct trace *t, struct picture_style *style, char **wrong)
{
    size_t asked = style->most_steps ? style->most_steps : f->usual_steps ? f->usual_steps : t->steps.len;
    struct str message = {0};
    *wrong = NULL;
    style->most_steps = MIN(asked, t->steps.len);
    if (style->most_steps <= f->most_steps) return true;
    str_printf(&message, "%zu steps are too many for --%s (at most %zu): --steps N leaves out the middle",
               style->most_steps, f->name, f->most_steps);
    *wrong = message.at;
    return false;
}

int picture_print(enum picture p, const struct trace *t, FILE *out, struct picture_style style, char **wrong)
{
    if (!fits(&formats[p], t, &style, wrong)) return -1;
    formats[p].print(t, out, style);
    return 0;
}

int picture_write(enum picture p, const struct trace *t, const char *path, struct picture_style style, char **wrong)
{
    if (!fits(&formats[p], t, &style, wrong)) return -1;
    FILE *f = fopen(path, "w");
    if (f) formats[p].print(t, f, style);
    if (f && !file_finish(f, path)) return 0;
    *wrong = xstrdup(strerror(errno));
    return -1;
}
