/* A trace as a message sequence chart: a lane per thread, a line per row, arrows for messages, locks and threads.
 *
 * The picture has no script and asks for nothing; its colours follow the reader's choice of light or dark. */
#include "show/show_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 20, CHARACTER = 8, MARGIN = 16, NUMBERS = 48, LEAST_LANE = 120, MOST_LANE = 560, HEAD = 64 };

struct lane {
    long at, width;
    bool used;
};

struct chart {
    const struct trace *t;
    struct rows rows;
    struct lane *lanes;
    long *y_of; /* by step, 0: not shown */
    long width, height;
};

static const char style_sheet[] =
    "<style>\n"
    "svg { background: #fff; color: #1b1f24; font: 13px ui-monospace, Menlo, Consolas, monospace; }\n"
    "text { fill: currentColor; white-space: pre; } .place, .quiet, .number { fill: #656d76; } .name, .failure "
    "{ font-weight: bold; }\n"
    ".failure { fill: #b3261e; } .preemption { fill: #9a5b00; font-weight: bold; } line { stroke: #d0d7de; }\n"
    "path { fill: none; stroke: #0550ae; stroke-width: 1.5; opacity: .55; } marker path { fill: #0550ae; stroke: none; "
    "}\n"
    "@media (prefers-color-scheme: dark) { svg { background: #14171c; color: #e6e9ee; } .place, .quiet, .number "
    "{ fill: #9aa4b2; }\n"
    ".failure { fill: #ff8a80; } .preemption { fill: #ffc46b; } line { stroke: #3a424d; } path { stroke: #7cb7ff; }\n"
    "marker path { fill: #7cb7ff; } }\n"
    "</style>\n";

static long width_of(const char *text) { return (long)MIN(strlen(text), (size_t)MOST_LANE) * CHARACTER; }

static bool is_cell(const struct row *row) { return row->kind == ROW_STEP || row->kind == ROW_PART; }

static void measure(struct chart *c)
{
    long y = HEAD + LINE, widest = 0;
    for (size_t i = 0; i < c->rows.list.len; i++, y += LINE) {
        const struct row *row = &c->rows.list.at[i];
        if (row->kind == ROW_STEP) c->y_of[row->step - 1] = y;
        long needed = width_of(row->text) + (*row->place ? 2 * CHARACTER + width_of(row->place) : 0) + 3 * MARGIN;
        if (row->thread < 0) {
            widest = MAX(widest, needed);
            continue;
        }
        struct lane *lane = &c->lanes[row->thread];
        lane->used = true;
        lane->width = MIN(MAX(lane->width, needed), MOST_LANE);
    }
    long at = NUMBERS + MARGIN;
    for (size_t i = 0; i < c->t->threads.len; i++) {
        struct lane *lane = &c->lanes[i];
        if (!lane->used) continue;
        lane->at = at;
        at += lane->width =
            MAX(MAX(lane->width, LEAST_LANE), MIN(width_of(c->t->threads.at[i].name), MOST_LANE) + MARGIN);
    }
    c->width = MAX(at, NUMBERS + widest) + MARGIN;
    c->height = y + MARGIN;
}

static void print_text(FILE *out, long x, long y, const char *class, const char *text)
{
    struct str s = {0};
    str_add_xml(&s, text);
    fprintf(out, "<text x=\"%ld\" y=\"%ld\" class=\"%s\">%s</text>\n", x, y, class, str_get(&s));
    str_release(&s);
}

static void print_row(const struct chart *c, const struct row *row, long y, FILE *out)
{
    static const char *const classes[] = {
        [MARK_NONE] = "",           [MARK_QUIET] = "quiet",      [MARK_PREEMPTION] = "preemption",
        [MARK_FAILURE] = "failure", [MARK_STALE] = "preemption"};
    static_assert(ARRAY_LEN(classes) == MARKS, "every mark has a class");
    long x = row->thread < 0 ? NUMBERS + MARGIN : c->lanes[row->thread].at + MARGIN;
    char number[32];
    snprintf(number, sizeof number, "%ld", row->step);
    if (row->kind == ROW_STEP) print_text(out, MARGIN, y, "number", number);
    struct str text = {0};
    if (row->kind == ROW_OUTPUT) str_add(&text, "> ");
    str_add(&text, row->text);
    print_text(out, x, y, row->kind == ROW_LINE ? "quiet" : classes[row->mark], str_get(&text));
    if (is_cell(row) && *row->place) print_text(out, x + width_of(row->text) + 2 * CHARACTER, y, "place", row->place);
    str_release(&text);
}

static void print_arrows(const struct chart *c, FILE *out)
{
    struct arrows arrows;
    arrows_init(&arrows, c->t);
    for (size_t i = 0; i < arrows.list.len; i++) {
        const struct arrow *a = &arrows.list.at[i];
        const struct lane *from = &c->lanes[a->from_thread], *to = &c->lanes[a->to_thread];
        long y = c->y_of[a->from] - 4, end = c->y_of[a->to] - 4;
        if (y < 0 || end < 0 || !from->used || !to->used) continue;
        if (a->from == a->to) end += LINE; /* the receiver's part is in the next line */
        struct str title = {0};
        str_printf(&title, "%s ", arrow_name(a->kind));
        str_add(&title, a->label);
        struct str escaped = {0};
        str_add_xml(&escaped, str_get(&title));
        fprintf(out,
                "<path class=\"arrow\" d=\"M%ld %ldL%ld %ld\" marker-end=\"url(#head)\"><title>%s</title></path>\n",
                from->at + 6, y, to->at + (to->at > from->at ? 2 : 10), end, str_get(&escaped));
        str_release(&escaped);
        str_release(&title);
    }
    arrows_release(&arrows);
}

/* Where the cycle goes round: from below its last step up to its first, left of all lanes. */
static void print_loop(const struct chart *c, FILE *out)
{
    const struct trace *t = c->t;
    if (t->cycle_start < 0 || (size_t)t->cycle_start >= t->steps.len) return;
    long top = c->y_of[t->cycle_start] - 5, bottom = c->y_of[t->steps.len - 1] + 3;
    if (top < 0 || bottom < 0) return;
    fprintf(
        out,
        "<path class=\"loop\" d=\"M%d %ldH6V%ldH%d\" marker-end=\"url(#head)\"><title>again and again</title></path>\n",
        MARGIN - 2, bottom, top, MARGIN - 4);
}

static void print_lanes(const struct chart *c, FILE *out)
{
    for (size_t i = 0; i < c->t->threads.len; i++) {
        const struct lane *lane = &c->lanes[i];
        if (!lane->used) continue;
        fprintf(out, "<line x1=\"%ld\" y1=\"%d\" x2=\"%ld\" y2=\"%ld\"/>\n", lane->at + 6, HEAD, lane->at + 6,
                c->height - MARGIN);
        print_text(out, lane->at, HEAD - 8, "name", c->t->threads.at[i].name);
    }
}

static void print_chart(const struct chart *c, FILE *out)
{
    struct str title = {0}, escaped = {0};
    add_headline(&title, c->t);
    str_add_xml(&escaped, str_get(&title));
    long width = MAX(c->width, width_of(str_get(&title)) + 2 * MARGIN);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" height=\"%ld\" viewBox=\"0 0 %ld %ld\" role=\"img\">\n"
        "<title>%s</title>\n%s<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
        width, c->height, width, c->height, str_get(&escaped), style_sheet);
    print_text(out, MARGIN, 24, "failure", str_get(&title));
    print_lanes(c, out);
    print_arrows(c, out); /* behind the words */
    print_loop(c, out);
    long y = HEAD + LINE;
    for (size_t i = 0; i < c->rows.list.len; i++, y += LINE) print_row(c, &c->rows.list.at[i], y, out);
    fputs("</svg>\n", out);
    str_release(&title);
    str_release(&escaped);
}

void svg_print(const struct trace *t, FILE *out, struct picture_style style)
{
    struct chart c = {.t = t};
    rows_init(&c.rows, t, (struct row_options){.most_steps = style.most_steps});
    c.lanes = xcalloc(t->threads.len + 1, sizeof *c.lanes);
    c.y_of = xcalloc(t->steps.len + 1, sizeof *c.y_of);
    measure(&c);
    print_chart(&c, out);
    rows_release(&c.rows);
    free(c.lanes);
    free(c.y_of);
}
