/* A trace as one page that opens from disk and asks for nothing: page/ with the trace in it as JSON.
 *
 * Two things of a trace get into the markup: its headline, escaped, and the JSON, in which every '<' is written as
 * \u003c so that no string can end the script element. The rest is put in as text by the page itself. */
#define _GNU_SOURCE
#include "show/show_int.h"

#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SOURCE = 256 << 10, MOST_SOURCES = 512 << 10, TEXT_STEPS = 60 };

/* Strings of a page by number: rows of loops repeat each other. */
struct texts {
    struct map numbers;
    VEC(const char *) list;
};

static int64_t number_of(struct texts *x, const char *text)
{
    uintptr_t known = (uintptr_t)map_get(&x->numbers, text);
    if (known) return (int64_t)known - 1;
    vec_push(&x->list, text);
    map_put(&x->numbers, text, (void *)(uintptr_t)x->list.len);
    return (int64_t)x->list.len - 1;
}

struct writer {
    struct json_writer j;
    struct texts texts, files;
    struct arena told; /* names and values out of the words of steps */
    struct map known;  /* names that have a value */
    const struct trace *t;
    struct picture_style style;
};

static void writer_release(struct writer *w)
{
    jw_release(&w->j);
    map_release(&w->texts.numbers);
    vec_release(&w->texts.list);
    map_release(&w->files.numbers);
    vec_release(&w->files.list);
    map_release(&w->known);
    arena_release(&w->told);
}

static void write_row(struct writer *w, const struct row *row)
{
    jw_array(&w->j, NULL);
    jw_int(&w->j, NULL, row->kind);
    jw_int(&w->j, NULL, row->mark);
    jw_int(&w->j, NULL, row->folded);
    jw_int(&w->j, NULL, row->step);
    jw_int(&w->j, NULL, row->thread);
    jw_int(&w->j, NULL, number_of(&w->texts, row->text));
    jw_int(&w->j, NULL, row->file ? number_of(&w->files, row->file) : -1);
    jw_int(&w->j, NULL, row->line);
    jw_end(&w->j, ']');
}

static void write_change(struct writer *w, const char *name, const char *value, bool only_seen)
{
    jw_array(&w->j, NULL);
    jw_int(&w->j, NULL, number_of(&w->texts, name));
    jw_int(&w->j, NULL, number_of(&w->texts, value));
    if (only_seen) jw_int(&w->j, NULL, 1);
    jw_end(&w->j, ']');
}

/* Steps of real programs say in their words what they read and wrote: "x = 1", "x -> 1", "x: 0 -> 1", "x -> 1, compare
 * fails". Names have no spaces. What is read for the first time is known from then on, but was not changed. */
static void write_told_value(struct writer *w, const char *action)
{
    struct arena *a = &w->told;
    const char *space = strchr(action, ' '), *arrow = strstr(action, " -> ");
    if (!space || space == action || (strncmp(space, " = ", 3) && !arrow)) return;
    bool exchanged = space[-1] == ':', read = !exchanged && !strncmp(space, " -> ", 4);
    if (!read && !exchanged && strncmp(space, " = ", 3)) return;
    const char *name = arena_strndup(a, action, (size_t)(space - action) - exchanged);
    const char *value = exchanged ? arrow + 4 : space + (read ? 4 : 3);
    value = arena_strndup(a, value, read ? strcspn(value, ",") : strlen(value));
    if (read && map_get(&w->known, name)) return;
    map_put(&w->known, name, w);
    write_change(w, name, value, read);
}

static void write_changes(struct writer *w)
{
    bool told = w->t->engine && !strcmp(w->t->engine, "native");
    jw_array(&w->j, "changes");
    for (size_t i = 0; i < w->t->steps.len; i++) {
        const trace_changes *c = &w->t->steps.at[i].changes;
        jw_array(&w->j, NULL);
        for (size_t k = 0; k < c->len; k++) write_change(w, c->at[k].name, c->at[k].value, false);
        if (told && !c->len) write_told_value(w, w->t->steps.at[i].action);
        jw_end(&w->j, ']');
    }
    jw_end(&w->j, ']');
}

static void write_switches(struct writer *w)
{
    jw_array(&w->j, "switches");
    for (size_t i = 0; i < w->t->steps.len; i++)
        if (trace_step_is_switch(w->t, i)) jw_int(&w->j, NULL, (int64_t)i + 1);
    jw_end(&w->j, ']');
}

static void write_arrows(struct writer *w)
{
    struct arrows arrows;
    arrows_init(&arrows, w->t);
    jw_array(&w->j, "arrows");
    for (size_t i = 0; i < arrows.list.len; i++) {
        const struct arrow *a = &arrows.list.at[i];
        jw_array(&w->j, NULL);
        jw_string(&w->j, NULL, arrow_name(a->kind));
        jw_int(&w->j, NULL, (int64_t)a->from + 1);
        jw_int(&w->j, NULL, (int64_t)a->to + 1);
        jw_int(&w->j, NULL, a->from_thread);
        jw_int(&w->j, NULL, a->to_thread);
        jw_string(&w->j, NULL, a->label);
        jw_end(&w->j, ']');
    }
    jw_end(&w->j, ']');
    arrows_release(&arrows);
}

/* Taking and giving back of locks: which are held after a step follows from these. */
static void write_sync(struct writer *w)
{
    static const char *const names[] = {
        [SYNC_ACQUIRE] = "acquire", [SYNC_RELEASE] = "release", [SYNC_WAIT] = "wait", [SYNC_WAKE] = "wake"};
    jw_array(&w->j, "sync");
    for (size_t i = 0; i < w->t->steps.len; i++) {
        const char *object;
        enum sync does = sync_of_action(w->t->steps.at[i].action, &object);
        if (does == SYNC_NONE || does > SYNC_WAKE) continue;
        jw_array(&w->j, NULL);
        jw_int(&w->j, NULL, (int64_t)i + 1);
        jw_int(&w->j, NULL, w->t->steps.at[i].thread);
        jw_string(&w->j, NULL, names[does]);
        jw_int(&w->j, NULL, number_of(&w->texts, object));
        jw_end(&w->j, ']');
    }
    jw_end(&w->j, ']');
}

/* Call stacks: an entry where that of a thread is another one than before. */
static bool same_stack(const struct trace_step *a, const struct trace_step *b)
{
    size_t len = a ? a->stack.len : 0;
    if (len != b->stack.len) return false;
    for (size_t i = 0; i < len; i++)
        if (a->stack.at[i] != b->stack.at[i]) return false;
    return true;
}

static void write_stack(struct writer *w, size_t step, const struct trace_step *s, size_t len)
{
    jw_array(&w->j, NULL);
    jw_int(&w->j, NULL, (int64_t)step);
    jw_int(&w->j, NULL, s->thread);
    for (size_t k = 0; k < len; k++) jw_int(&w->j, NULL, s->stack.at[k]);
    jw_end(&w->j, ']');
}

static void write_stacks(struct writer *w)
{
    const struct trace *t = w->t;
    const struct trace_step **last = xcalloc(t->threads.len + 1, sizeof *last);
    jw_array(&w->j, "stacks");
    for (size_t i = 0; i < t->steps.len; i++) {
        const struct trace_step *s = &t->steps.at[i];
        if (!same_stack(last[s->thread], s)) write_stack(w, i + 1, s, s->stack.len);
        if (s->ended && s->stack.len) write_stack(w, i + 2, s, 0);
        last[s->thread] = s->ended ? NULL : s;
    }
    jw_end(&w->j, ']');
    jw_array(&w->j, "frames");
    for (size_t i = 0; i < t->frames.len; i++) {
        jw_array(&w->j, NULL);
        jw_int(&w->j, NULL, number_of(&w->texts, t->frames.at[i].function));
        jw_int(&w->j, NULL, number_of(&w->files, t->frames.at[i].file));
        jw_int(&w->j, NULL, t->frames.at[i].line);
        jw_end(&w->j, ']');
    }
    jw_end(&w->j, ']');
    free(last);
}

/* ---- source files ---- */

/* A trace may come from elsewhere: it is not to have any file put into a page that others may see. */
static bool is_source_name(const char *path)
{
    static const char *const endings[] = {".c",   ".h",   ".cc",   ".cpp", ".cxx",  ".C",       ".hh",
                                          ".hpp", ".hxx", ".inl",  ".pml", ".prom", ".promela", ".pm",
                                          ".prm", ".pr",  ".spin", ".bp",  ".pds"};
    const char *dot = strrchr(path_basename(path), '.');
    for (size_t i = 0; dot && i < ARRAY_LEN(endings); i++)
        if (!strcmp(dot, endings[i])) return true;
    return false;
}

static char *read_source(const char *path)
{
    struct stat s;
    char *real = is_source_name(path) ? realpath(path, NULL) : NULL; /* a link can have any name */
    bool good = real && is_source_name(real) && !stat(real, &s) && S_ISREG(s.st_mode) && s.st_size <= MOST_SOURCE;
    char *text = good ? read_file(real, NULL) : NULL;
    free(real);
    return text;
}

static char *find_source(const struct writer *w, const char *path)
{
    char *text = read_source(path);
    if (text || !w->style.directory || path[0] == '/') return text;
    struct str beside = {0};
    str_printf(&beside, "%s/%s", w->style.directory, path);
    text = read_source(str_get(&beside));
    str_release(&beside);
    return text;
}

static void write_files(struct writer *w)
{
    size_t total = 0;
    jw_array(&w->j, "files");
    for (size_t i = 0; i < w->files.list.len; i++) {
        char *text = total < MOST_SOURCES ? find_source(w, w->files.list.at[i]) : NULL;
        total += text ? strlen(text) : 0;
        jw_object(&w->j, NULL);
        jw_string(&w->j, "name", w->files.list.at[i]);
        jw_string(&w->j, "text", text);
        jw_end(&w->j, '}');
        free(text);
    }
    jw_end(&w->j, ']');
}

/* ---- the page ---- */

static void write_texts(struct writer *w)
{
    jw_array(&w->j, "texts");
    for (size_t i = 0; i < w->texts.list.len; i++) jw_string(&w->j, NULL, w->texts.list.at[i]);
    jw_end(&w->j, ']');
}

static void write_data(struct writer *w, const struct rows *rows);

/* The run that passes, as a small model of its own. */
static void write_other(struct writer *w)
{
    struct writer other = {.t = w->t->other, .style = w->style};
    struct rows rows;
    rows_init(&rows, other.t, (struct row_options){0});
    write_data(&other, &rows);
    jw_raw(&w->j, "other", str_get(&other.j.out));
    rows_release(&rows);
    writer_release(&other);
}

/* Engines leave what they tried as a note. */
static void write_why(struct writer *w)
{
    for (size_t i = 0; i < w->t->notes.len; i++)
        if (!strncmp(w->t->notes.at[i], "why: ", 5)) jw_string(&w->j, "why", w->t->notes.at[i] + 5);
    if (w->t->other) write_other(w);
}

static void write_data(struct writer *w, const struct rows *rows)
{
    w->j.compact = true;
    jw_object(&w->j, NULL);
    jw_array(&w->j, "threads");
    for (size_t i = 0; i < w->t->threads.len; i++) jw_string(&w->j, NULL, w->t->threads.at[i].name);
    jw_end(&w->j, ']');
    jw_int(&w->j, "cycle", w->t->cycle_start < (long)w->t->steps.len ? w->t->cycle_start : -1);
    jw_array(&w->j, "rows");
    for (size_t i = 0; i < rows->list.len; i++) write_row(w, &rows->list.at[i]);
    jw_end(&w->j, ']');
    write_changes(w);
    write_switches(w);
    write_arrows(w);
    write_sync(w);
    write_stacks(w);
    write_why(w);
    write_files(w);
    write_texts(w);
    jw_end(&w->j, '}');
}

static void print_escaped(FILE *out, const char *text)
{
    struct str s = {0};
    str_add_xml(&s, text);
    fputs(str_get(&s), out);
    str_release(&s);
}

static void print_headline(const struct trace *t, FILE *out)
{
    struct str s = {0};
    add_headline(&s, t);
    print_escaped(out, str_get(&s));
    str_release(&s);
}

static void print_summary(const struct trace *t, struct picture_style style, FILE *out)
{
    struct str s = {0};
    str_add_visible(&s, t->input);
    str_printf(&s, ": %zu thread%s", t->threads.len, t->threads.len == 1 ? "" : "s");
    if (style.trace_path) {
        str_printf(&s, "; heddle replay %s", t->needs_trust ? "--trust " : "");
        str_add_shell(&s, style.trace_path);
    }
    print_escaped(out, str_get(&s));
    str_release(&s);
}

static void print_text(const struct trace *t, FILE *out)
{
    char *text = NULL;
    size_t len;
    FILE *memory = open_memstream(&text, &len);
    if (!memory) die("out of memory");
    trace_print(t, memory, (struct trace_style){.width = 120, .most_steps = TEXT_STEPS});
    bool failed = ferror(memory);
    if (fclose(memory) || failed || !text) die("out of memory"); /* fclose() may succeed and leave no text */
    print_escaped(out, text);
    free(text);
}

static void print_data(struct writer *w, FILE *out)
{
    struct rows rows;
    rows_init(&rows, w->t, (struct row_options){.most_steps = w->style.most_steps, .keep_folded = true});
    write_data(w, &rows);
    for (const char *c = str_get(&w->j.out); *c; c++)
        if (*c == '<') fputs("\\u003c", out);
        else fputc(*c, out);
    rows_release(&rows);
    writer_release(w);
}

void page_print(const struct trace *t, FILE *out, struct picture_style style)
{
    static const char *const holes[] = {"@TITLE@", "@HEADLINE@", "@SUMMARY@", "@TEXT@", "@DATA@"};
    const char *at = page_text();
    for (size_t i = 0; i < ARRAY_LEN(holes); i++) {
        const char *hole = strstr(at, holes[i]);
        if (!hole) BUG("the page has no %s", holes[i]);
        fwrite(at, 1, (size_t)(hole - at), out);
        switch (i) {
        case 0:
        case 1: print_headline(t, out); break;
        case 2: print_summary(t, style, out); break;
        case 3: print_text(t, out); break;
        default: print_data(&(struct writer){.t = t, .style = style}, out); break;
        }
        at = hole + strlen(holes[i]);
    }
    fputs(at, out);
}
