/* A trace for people: one column per thread, the reason at every switch, only what changed, a cycle printed once.
 *
 * Columns are as wide as what stands in them if the page is wide enough for that. If not they begin at equal distances,
 * closer together if what stands in the last ones would not fit on the page otherwise: a text that is too long runs on
 * into the columns to the right, which are empty in its line. If they would be too narrow to read, there are no columns
 * and the thread's name stands before its step. */
#include "show/show_int.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_WIDTH = 6, LEAST_COLUMN = 26, LEAST_DISTANCE = 18, GAP = 3, DEFAULT_WIDTH = 120 };

struct column {
    int at, width;
};

struct page {
    const struct trace *t;
    struct rows rows;
    FILE *out;
    int width;
    struct column *columns; /* one per thread; NULL: too many threads for columns */
    int name_width;         /* without columns: of the longest name */
    bool color;
};

static const char RED[] = "\033[31;1m", YELLOW[] = "\033[33;1m", DIM[] = "\033[2m", PLAIN[] = "\033[0m";

static const char *color_of(const struct page *p, enum row_mark mark)
{
    static const char *const codes[] = {
        [MARK_NONE] = "", [MARK_QUIET] = DIM, [MARK_PREEMPTION] = YELLOW, [MARK_FAILURE] = RED, [MARK_STALE] = YELLOW};
    static_assert(ARRAY_LEN(codes) == MARKS, "every mark has a colour");
    return p->color ? codes[mark] : "";
}

static const char *color(const struct page *p, const char *code) { return p->color ? code : ""; }

/* ---- columns ---- */

static void measure_row(struct page *p, const struct row *row)
{
    if (row->kind != ROW_STEP && row->kind != ROW_PART) return;
    assert(row->thread >= 0 && (size_t)row->thread < p->t->threads.len);
    int needed = (int)MIN(strlen(row->text) + (*row->place ? 2 + strlen(row->place) : 0), (size_t)INT_MAX / 2);
    p->columns[row->thread].width = MAX(p->columns[row->thread].width, needed);
}

/* The distance at which no text leaves the page, if the names leave room for it. */
static int distance_of_columns(const struct page *p, int room)
{
    int threads = (int)p->t->threads.len, distance = room / threads, least = LEAST_DISTANCE;
    for (int i = 0; i + 1 < threads; i++) least = MAX(least, (int)strlen(p->t->threads.at[i].name) + 2);
    for (int i = 1; i < threads; i++) distance = MIN(distance, (room - p->columns[i].width) / i);
    return MIN(MAX(distance, least), room / threads);
}

/* Columns that fit their cells, or at equal distances, or none. */
static void lay_out_columns(struct page *p)
{
    int threads = (int)p->t->threads.len, room = p->width - NUMBER_WIDTH;
    long total = 0;
    p->columns = xcalloc((size_t)threads + 1, sizeof *p->columns);
    for (int i = 0; i < threads; i++)
        p->columns[i].width = (int)MAX(strlen(p->t->threads.at[i].name), strlen("-- preempted --"));
    for (size_t i = 0; i < p->rows.list.len; i++) measure_row(p, &p->rows.list.at[i]);
    for (int i = 0; i < threads; i++) {
        p->columns[i].at = (int)MIN(total, INT_MAX);
        total += p->columns[i].width + GAP;
    }
    if (total - GAP <= room || threads == 1) return;
    int distance = distance_of_columns(p, room);
    for (int i = 0; i < threads; i++) p->columns[i] = (struct column){distance * i, distance - GAP};
    if (room / threads >= LEAST_COLUMN) return;
    free(p->columns);
    p->columns = NULL;
}

/* ---- lines ---- */

static void start_line(const struct page *p, long number, int thread)
{
    assert(thread >= 0 && (size_t)thread < p->t->threads.len);
    if (number > 0) fprintf(p->out, "%4ld  ", number);
    else fprintf(p->out, "%*s", NUMBER_WIDTH, "");
    if (p->columns) fprintf(p->out, "%*s", p->columns[thread].at, "");
    else fprintf(p->out, "%-*s  ", p->name_width, p->t->threads.at[thread].name);
}

static void print_cell(const struct page *p, const struct row *row)
{
    int room = p->columns ? p->columns[row->thread].width : MIN(p->width - NUMBER_WIDTH - p->name_width - 2, 80);
    start_line(p, row->kind == ROW_STEP ? row->step : 0, row->thread);
    int padded = *row->place ? room - (int)strlen(row->place) - 2 : 0;
    fprintf(p->out, "%s%-*s%s", color_of(p, row->mark), MAX(padded, 0), row->text, color(p, PLAIN));
    if (*row->place) fprintf(p->out, "  %s%s%s", color(p, DIM), row->place, color(p, PLAIN));
    fputc('\n', p->out);
}

static void print_row(const struct page *p, const struct row *row)
{
    switch (row->kind) {
    case ROW_STEP:
    case ROW_PART: print_cell(p, row); return;
    case ROW_OUTPUT:
        start_line(p, 0, row->thread);
        fprintf(p->out, "  > %s\n", row->text);
        return;
    case ROW_SWITCH:
        start_line(p, 0, row->thread);
        fprintf(p->out, "%s%s%s\n", color_of(p, row->mark), row->text, color(p, PLAIN));
        return;
    case ROW_LINE:
    case ROW_NOTE: fprintf(p->out, "%*s%s\n", NUMBER_WIDTH, "", row->text); return;
    }
    BUG("row kind %d", row->kind);
}

static void print_names(const struct page *p)
{
    int at = 0;
    fprintf(p->out, "%*s", NUMBER_WIDTH, "");
    for (size_t i = 0; i < p->t->threads.len; i++) {
        fprintf(p->out, "%*s%s", p->columns[i].at - at, "", p->t->threads.at[i].name);
        at = p->columns[i].at + (int)strlen(p->t->threads.at[i].name);
    }
    fputc('\n', p->out);
}

void trace_print(const struct trace *t, FILE *out, struct trace_style style)
{
    struct page p = {.t = t, .out = out, .width = style.width > 0 ? style.width : DEFAULT_WIDTH, .color = style.color};
    rows_init(&p.rows, t, (struct row_options){.most_steps = style.most_steps, .show_all = style.show_all});
    for (size_t i = 0; i < t->threads.len; i++) p.name_width = MAX(p.name_width, (int)strlen(t->threads.at[i].name));
    lay_out_columns(&p);
    fputc('\n', out);
    if (t->steps.len && p.columns) print_names(&p);
    for (size_t i = 0; i < p.rows.list.len; i++) print_row(&p, &p.rows.list.at[i]);
    fputc('\n', out);
    free(p.columns);
    rows_release(&p.rows);
}
