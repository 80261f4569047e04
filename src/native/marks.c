/* Marks: which code was compiled for checking. `heddle cc` adds to each object a section that lists where its functions
 * begin and end. All executable code of a program without such a mark is foreign (foreign.c). Labels of their own keep
 * the ends apart from symbols that another object may define as well. */
#include "native/assembly_int.h"

#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Members of a group of sections are discarded together; the mark of a function in a group has to go with it. */
static char *group_of(const char *section)
{
    const char *flags = strchr(section, '"'), *end = flags ? strchr(flags + 1, '"') : NULL;
    if (!end || !memchr(flags, 'G', (size_t)(end - flags))) return NULL;
    const char *type = strchr(end, ','), *name = type ? strchr(type + 1, ',') : NULL;
    struct str group = {0};
    if (name) str_addn(&group, name + 1, strcspn(name + 1, ",\n"));
    return group.at;
}

static void add_mark(struct marks *m, const struct open_mark *f, enum mark_kind kind)
{
    char *group = f->section ? group_of(f->section) : NULL;
    if (group) str_printf(&m->table, "\t.section " MARKS_SECTION ",\"G\",%%progbits,%s,comdat\n", group);
    else str_add(&m->table, "\t.section " MARKS_SECTION ",\"\",%progbits\n");
    str_printf(&m->table, "\t.quad .Lheddle_begin%u, .Lheddle_end%u, %u\n", f->number, f->number, kind);
    free(group);
}

/* ---- the parts of a file ---- */

static bool is_directive_of_section(const char *word)
{
    return begins(word, ".section") || begins(word, ".text") || begins(word, ".data") || begins(word, ".bss");
}

static bool holds_constants(const char *section)
{
    static const char *const names[] = {".rodata", ".data.rel.ro", ".gcc_except_table", ".lrodata"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strstr(section, names[i])) return true;
    return false;
}

/* Which symbols the file defines, and which of them are constants. */
void marks_begin(struct marks *m, const char *text)
{
    bool constant = false;
    m->by_clang = strstr(text, "\tretq") || strstr(text, "\tcallq");
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *word = line + strspn(line, " \t");
        size_t len = strcspn(word, ":, \t\n\""), end = strcspn(word, "\n");
        struct str name = {0};
        if (is_directive_of_section(word)) {
            str_addn(&name, word, end);
            constant = holds_constants(name.at);
            str_release(&name);
        } else if (word[len] == ':' && len) {
            str_addn(&name, word, len);
            map_put(constant ? &m->simulation.constants : &m->simulation.variables, name.at, name.at);
            vec_push(&m->names, name.at);
        } else if (begins(word, ".comm") || begins(word, ".local") || begins(word, ".lcomm")) {
            word += strcspn(word, " \t");
            word += strspn(word, " \t");
            str_addn(&name, word, strcspn(word, ",\n"));
            map_put(&m->simulation.variables, name.at, name.at);
            vec_push(&m->names, name.at);
        }
    }
}

static void see_type(struct marks *m, const char *line)
{
    const char *name = line + strspn(line, " \t"), *comma = strchr(name, ',');
    if (!comma || !(strstr(comma, "@function") || strstr(comma, "%function"))) return;
    free(m->typed);
    struct str s = {0};
    str_addn(&s, name, (size_t)(comma - name));
    m->typed = s.at;
}

/* ---- bodies ---- */

static void add_line(struct marks *m, const char *text, bool inside)
{
    vec_push(&m->body, ((struct body_line){.text = xstrdup(text), .inside = inside}));
}

static void end_body(struct marks *m, struct str *out)
{
    bool foreign = m->closed.len && !observe_body(m);
    for (size_t i = 0; i < m->body.len; i++) {
        struct body_line *l = &m->body.at[i];
        if (!foreign) str_add(out, str_get(&l->before));
        str_add(out, l->text);
        str_addc(out, '\n');
        str_release(&l->before);
        free(l->text);
    }
    for (size_t i = 0; i < m->closed.len; i++) {
        add_mark(m, &m->closed.at[i], foreign ? MARK_FUNCTION : MARK_OBSERVED);
        free(m->closed.at[i].name);
        free(m->closed.at[i].section);
    }
    vec_clear(&m->body);
    vec_clear(&m->closed);
}

/* Of statements of the program's own; clang says it of those outside of functions in other words. */
bool marks_is_beginning(const char *word)
{
    return begins(word, "#APP") || begins(word, "//APP") || strstr(word, "Start of file scope inline assembly");
}

bool marks_is_end(const char *word)
{
    return begins(word, "#NO_APP") || begins(word, "//NO_APP") || strstr(word, "End of file scope inline assembly");
}

/* Text outside of functions is assembly of the program's own. */
static void assembly_begins(struct marks *m)
{
    struct str label = {0};
    str_printf(&label, ".Lheddle_begin%u:", m->count);
    add_line(m, label.at, false);
    str_release(&label);
    m->assembly = (struct open_mark){.number = m->count++, .section = m->section ? xstrdup(m->section) : NULL};
    m->in_assembly = true;
}

static void assembly_ends(struct marks *m)
{
    struct str label = {0};
    str_printf(&label, ".Lheddle_end%u:", m->assembly.number);
    add_line(m, label.at, false);
    str_release(&label);
    add_mark(m, &m->assembly, MARK_ASSEMBLY);
    free(m->assembly.section);
    m->in_assembly = false;
}

static bool function_ends(struct marks *m, const char *line)
{
    const char *name = line + strspn(line, " \t");
    size_t len = strcspn(name, ",");
    for (size_t i = 0; i < m->open.len; i++) {
        struct open_mark f = m->open.at[i];
        struct str label = {0};
        if (strlen(f.name) != len || !begins(name, f.name)) continue;
        str_printf(&label, ".Lheddle_end%u:", f.number);
        add_line(m, label.at, false);
        str_release(&label);
        vec_push(&m->closed, f);
        m->open.at[i] = vec_last(&m->open);
        (void)vec_pop(&m->open);
        return true;
    }
    return false;
}

static void function_begins(struct marks *m)
{
    struct str label = {0};
    str_printf(&label, ".Lheddle_begin%u:", m->count);
    add_line(m, label.at, false);
    str_release(&label);
    if (!m->open.len) m->entry = m->body.len;
    vec_push(&m->open, ((struct open_mark){m->typed, m->section ? xstrdup(m->section) : NULL, m->count++}));
    m->typed = NULL;
}

void marks_see(struct marks *m, const char *line, bool inside, struct str *out)
{
    const char *word = line + strspn(line, " \t");
    bool begun = !inside && m->typed && begins(word, m->typed) && word[strlen(m->typed)] == ':';
    bool ended = !inside && begins(word, ".size") && function_ends(m, word + 5);
    if (m->in_assembly && marks_is_end(word)) assembly_ends(m);
    add_line(m, line, inside);
    if (!m->open.len && !inside && marks_is_beginning(word)) assembly_begins(m);
    if (begun) function_begins(m);
    if (!m->open.len && (ended || !begun)) end_body(m, out);
    if (inside) return;
    if (is_directive_of_section(word)) {
        free(m->section);
        m->section = xstrdup(word);
    }
    if (begins(word, ".type")) see_type(m, word + 5);
}

/* A source in assembly: its code is in .text. Lines keep their numbers. */
void marks_assembly(struct str *out, const char *text)
{
    str_printf(out, "\t.text%c.Lheddle_begin:%c%s", *text == '#' ? '\n' : ';', *text == '#' ? '\n' : ';', text);
    str_printf(out, "\n\t.text\n.Lheddle_end:\n\t.section " MARKS_SECTION ",\"\",%%progbits\n"
                    "\t.quad .Lheddle_begin, .Lheddle_end, %u\n", MARK_ASSEMBLY);
}

void marks_end(struct marks *m, struct str *out)
{
    end_body(m, out);
    for (size_t i = 0; i < m->open.len; i++) {
        free(m->open.at[i].name);
        free(m->open.at[i].section);
    }
    vec_release(&m->open);
    vec_release(&m->closed);
    vec_release(&m->body);
    str_add(out, str_get(&m->table));
    str_release(&m->table);
    simulation_release(&m->simulation);
    for (size_t i = 0; i < m->names.len; i++) free(m->names.at[i]);
    vec_release(&m->names);
    free(m->section);
    free(m->typed);
}
