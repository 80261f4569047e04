/* Collecting and printing diagnostics. */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ERRORS = 50 };

int diags_file(struct diags *d, const char *name)
{
    if (d->files.len == 0) vec_push(&d->files, ((struct diag_file){"", NULL, true}));
    for (size_t i = 1; i < d->files.len; i++)
        if (!strcmp(d->files.at[i].name, name)) return (int)i;
    vec_push(&d->files, ((struct diag_file){arena_strdup(&d->arena, name), NULL, false}));
    return (int)d->files.len - 1;
}

void diags_file_text(struct diags *d, int file, const char *text)
{
    assert(file > 0 && (size_t)file < d->files.len);
    struct diag_file *f = &d->files.at[file];
    free(f->text);
    f->text = xstrdup(text);
    f->tried = true;
}

const char *diags_file_name(const struct diags *d, int file)
{
    return file > 0 && (size_t)file < d->files.len ? d->files.at[file].name : "";
}

static void add(struct diags *d, struct pos at, enum severity severity, const char *fmt, va_list ap)
{
    int *count = severity == SEVERITY_ERROR ? &d->errors : &d->warnings;
    if (severity == SEVERITY_ERROR && *count >= MOST_ERRORS) d->full = true;
    assert(at.file >= 0 && (!at.file || (size_t)at.file < d->files.len));
    d->dropped = ++*count > MOST_ERRORS;
    if (d->dropped) return;
    struct str s = {0};
    str_vprintf(&s, fmt, ap);
    vec_push(&d->list, ((struct diag){at, severity, arena_strdup(&d->arena, str_get(&s)), NULL}));
    str_release(&s);
}

void diag_error(struct diags *d, struct pos at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(d, at, SEVERITY_ERROR, fmt, ap);
    va_end(ap);
}

void diag_warning(struct diags *d, struct pos at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(d, at, SEVERITY_WARNING, fmt, ap);
    va_end(ap);
}

void diag_hint(struct diags *d, const char *fmt, ...)
{
    if (d->dropped) return;
    assert(d->list.len);
    va_list ap;
    va_start(ap, fmt);
    struct str s = {0};
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    vec_last(&d->list).hint = arena_strdup(&d->arena, str_get(&s));
    str_release(&s);
}

const char *diags_source_line(struct diags *d, int file, int line)
{
    if (file <= 0 || (size_t)file >= d->files.len || line <= 0) return NULL;
    struct diag_file *f = &d->files.at[file];
    if (!f->tried) {
        f->tried = true;
        f->text = read_file(f->name, NULL);
    }
    const char *p = f->text;
    for (int i = 1; p && i < line; i++) {
        p = strchr(p, '\n');
        if (p) p++;
    }
    return p && *p ? arena_strndup(&d->arena, p, strcspn(p, "\r\n")) : NULL;
}

/* The caret line repeats the tabs of the source line so that it lines up on any terminal. */
static void print_caret(FILE *out, const char *line, int col)
{
    fputs("    ", out);
    for (int i = 0; i < col - 1 && line[i]; i++) fputc(line[i] == '\t' ? '\t' : ' ', out);
    fputs("^\n", out);
}

static void print_line(FILE *out, const char *line)
{
    fputs("    ", out);
    for (const unsigned char *p = (const unsigned char *)line; *p; p++) fputc(*p < ' ' && *p != '\t' ? '?' : *p, out);
    fputc('\n', out);
}

static void print_one(struct diags *d, const struct diag *g, FILE *out)
{
    const char *kind = g->severity == SEVERITY_ERROR ? "error" : "warning";
    if (g->pos.file && g->pos.col) fprintf(out, "%s:%d:%d: ", diags_file_name(d, g->pos.file), g->pos.line, g->pos.col);
    else if (g->pos.file && g->pos.line) fprintf(out, "%s:%d: ", diags_file_name(d, g->pos.file), g->pos.line);
    else if (g->pos.file) fprintf(out, "%s: ", diags_file_name(d, g->pos.file));
    else fprintf(out, "heddle: ");
    fprintf(out, "%s: %s\n", kind, g->text);
    const char *line = diags_source_line(d, g->pos.file, g->pos.line);
    if (line && strlen(line) < 400) {
        print_line(out, line);
        if (g->pos.col > 0 && (size_t)g->pos.col <= strlen(line) + 1) print_caret(out, line, g->pos.col);
    }
    if (g->hint) fprintf(out, "    hint: %s\n", g->hint);
}

void diags_print(struct diags *d, FILE *out)
{
    for (size_t i = 0; i < d->list.len; i++) print_one(d, &d->list.at[i], out);
    if (d->full) fprintf(out, "heddle: more errors follow; only the first %d are shown\n", MOST_ERRORS);
}

void diags_release(struct diags *d)
{
    for (size_t i = 0; i < d->files.len; i++) free(d->files.at[i].text);
    vec_release(&d->files);
    vec_release(&d->list);
    arena_release(&d->arena);
    *d = (struct diags){0};
}
