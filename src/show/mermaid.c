/* A trace as a sequence diagram of Mermaid, for pages that draw them (GitHub, GitLab, many wikis). */
#include "show/show_int.h"

#include <string.h>

/* Everything that could mean something to Mermaid or to a browser is written as the number of its character. */
static void add_text(struct str *s, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._-+*/=(),[]!?|^~@$'";
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c >= 0x80 || strchr(plain, *c)) str_addc(s, (char)*c);
        else str_printf(s, "#%d;", *c);
}

/* "end" alone closes a block, wherever it stands. */
static void print_line(FILE *out, const char *before, const char *text)
{
    struct str clean = {0}, s = {0};
    str_add_utf8(&clean, text);
    add_text(&s, str_get(&clean));
    fprintf(out, "    %s%s\n", before, !strcmp(str_get(&s), "end") ? "#101;nd" : str_get(&s));
    str_release(&s);
    str_release(&clean);
}

static void print_row(const struct row *row, size_t threads, FILE *out)
{
    struct str before = {0}, text = {0};
    str_add(&text, row->text);
    switch (row->kind) {
    case ROW_STEP:
        if (*row->place) str_printf(&text, "  %s", row->place);
        str_printf(&before, "t%d->>t%d: %ld. ", row->thread, row->thread, row->step);
        break;
    case ROW_PART: str_printf(&before, "t%d->>t%d: ", row->thread, row->thread); break;
    case ROW_OUTPUT: str_printf(&before, "Note over t%d: printed ", row->thread); break;
    case ROW_SWITCH: str_printf(&before, "Note over t%d: ", row->thread); break;
    case ROW_LINE:
    case ROW_NOTE: str_printf(&before, "Note over t0,t%zu: ", threads - 1); break;
    }
    print_line(out, str_get(&before), str_get(&text));
    str_release(&before);
    str_release(&text);
}

/* An arrow stands where it arrives; that of a rendezvous before the step that is both of its ends. */
static void print_arrows(const struct arrows *a, size_t *next, long step, FILE *out)
{
    for (; *next < a->list.len && (long)a->list.at[*next].to < step; ++*next) {
        const struct arrow *w = &a->list.at[*next];
        if ((long)w->to + 1 != step) continue;
        struct str before = {0};
        str_printf(&before, "t%d-)t%d: %s ", w->from_thread, w->to_thread, arrow_name(w->kind));
        print_line(out, str_get(&before), w->label);
        str_release(&before);
    }
}

void mermaid_print(const struct trace *t, FILE *out, struct picture_style style)
{
    struct rows rows;
    struct arrows arrows;
    struct str title = {0};
    size_t next = 0;
    rows_init(&rows, t, (struct row_options){.most_steps = style.most_steps});
    arrows_init(&arrows, t);
    add_headline(&title, t);
    fputs("sequenceDiagram\n", out);
    if (!t->threads.len) fputs("    participant t0 as nobody\n", out);
    for (size_t i = 0; i < t->threads.len; i++) {
        struct str before = {0};
        str_printf(&before, "participant t%zu as ", i);
        print_line(out, str_get(&before), t->threads.at[i].name);
        str_release(&before);
    }
    for (size_t i = 0; i < rows.list.len; i++) {
        if (rows.list.at[i].kind == ROW_STEP) print_arrows(&arrows, &next, rows.list.at[i].step, out);
        print_row(&rows.list.at[i], MAX(t->threads.len, (size_t)1), out);
    }
    struct str before = {0};
    str_printf(&before, "Note over t0,t%zu: ", MAX(t->threads.len, (size_t)1) - 1);
    print_line(out, str_get(&before), str_get(&title));
    str_release(&before);
    str_release(&title);
    arrows_release(&arrows);
    rows_release(&rows);
}
