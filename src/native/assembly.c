/* Inline assembly is outside control: the compiler does not instrument it. It is looked for where it cannot hide, in
 * what the compiler hands to the assembler: `heddle cc` puts itself in the assembler's place, writes down in a section
 * of the object which lines have instructions that matter, and lets the assembler do its work. Empty statements,
 * fences and hints are no reason for a word; neither are operands in the frame of a function whose address nobody else
 * can have (frame.c). */
#define _GNU_SOURCE
#include "native/assembly_int.h"
#include "native/native.h"

#include "base/tempdir.h"

#include <ctype.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTION "heddle_asm"

static const struct kind {
    char code;
    const char *meaning;
} kinds[] = {
    {'M', "inline assembly: accesses memory that nobody sees"},
    {'R', "inline assembly: brings in what does not repeat"},
    {'T', "an instruction that brings in what does not repeat"},
    {'X', "an instruction that saves or restores registers: which memory it accesses is not seen"},
    {'V', "a vector instruction with a mask or with indices: which memory it accesses is not seen"},
    {'A', "an atomic operation that the compiler does not instrument: no thread is let in before it"},
    {'S', "inline assembly: a system call made directly goes past Heddle"},
};

/* Libraries that can do without. */
static const struct { const char *path, *way_out; } ways_out[] = {
    {"/ck_", "Concurrency Kit does without if compiled with -DCK_USE_CC_BUILTINS=1; check with --volatile=atomic"},
    {"/urcu/", "liburcu does without if compiled with -D_URCU_ARCH_UATOMIC_X86_H -DUATOMIC_HAS_ATOMIC_BYTE "
               "-DUATOMIC_HAS_ATOMIC_SHORT -include urcu/uatomic/generic.h (since 0.14: "
               "-DCONFIG_RCU_USE_ATOMIC_BUILTINS); check with --volatile=atomic"},
};

const char *native_way_out(const char *path)
{
    for (size_t i = 0; i < ARRAY_LEN(ways_out); i++)
        if (strstr(path, ways_out[i].path)) return ways_out[i].way_out;
    return NULL;
}

struct place { int file, line; char meaning; };

/* A function as the compiler wrote it. What it does in its own frame is decided upon when all of it is known. */
struct body {
    bool open;              /* between its beginning and its end */
    char *name;             /* up to the first dot: parts of a function that are put elsewhere share its frame */
    struct frame_use use;
    VEC(struct place) in_frame;
};

struct scan {
    VEC(char *) files;      /* by number, as .file gave them */
    struct place at;        /* of the instructions that follow */
    struct place atomic;    /* of the last one with a lock prefix */
    bool inside;            /* a statement of the program's own */
    bool elsewhere;         /* which writes to a section of data */
    struct body body;
    struct str records;     /* directives for the assembler */
    struct marks marks;
    struct str text;        /* for the assembler, with labels for the marks */
};

static char *copy_of(const char *text, size_t len)
{
    struct str s = {0};
    str_addn(&s, text, len);
    return s.at ? s.at : xstrdup("");
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* "dir" "name" -> dir/name, or name alone if it is absolute or the only one. */
static char *quoted_path(const char *p)
{
    struct str path = {0};
    for (int part = 0; part < 2 && (p = strchr(p, '"')); part++) {
        const char *end = strchr(p + 1, '"');
        if (!end) break;
        if (p[1] == '/') path.len = 0;
        if (path.len) str_addc(&path, '/');
        str_addn(&path, p + 1, (size_t)(end - p - 1));
        p = end + 1;
    }
    return path.at ? path.at : xstrdup("?");
}

static void note_file(struct scan *s, const char *p)
{
    char *end;
    long number = strtol(p, &end, 10);
    enum { MOST = 1 << 16 };
    if (end == p || number < 0 || number > MOST) return;
    while (s->files.len <= (size_t)number) vec_push(&s->files, NULL);
    free(s->files.at[number]);
    s->files.at[number] = quoted_path(end);
}

static bool is_word(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(word, list[i])) return true;
    return false;
}
#define IS_ONE_OF(word, list) is_word(word, list, ARRAY_LEN(list))

static void add_record(struct scan *s, const struct place *p)
{
    const char *file = (size_t)p->file < s->files.len && s->files.at[p->file] ? s->files.at[p->file] : "?";
    struct str record = {0};
    str_printf(&record, "\t.asciz \"%c%s:%d\"\n", p->meaning, file, p->line);
    if (!s->records.at || !strstr(s->records.at, record.at)) str_add(&s->records, record.at);
    str_release(&record);
}

static void end_body(struct scan *s)
{
    for (size_t i = 0; i < s->body.in_frame.len; i++) {
        struct place p = s->body.in_frame.at[i];
        bool own = frame_is_private(&s->body.use, p.meaning);
        p.meaning = 'M';
        if (!own) add_record(s, &p);
    }
    free(s->body.name);
    vec_release(&s->body.in_frame);
    s->body = (struct body){0};
}

static void look_at_instruction(struct scan *s, char *text)
{
    struct instruction i;
    instruction_split(&i, text);
    frame_see(&s->body.use, &i);
    s->at.meaning = s->inside && !s->elsewhere ? instruction_meaning(&i) : 0;
    bool in_frame = s->at.meaning == IN_FRAME_BY_STACK || s->at.meaning == IN_FRAME_BY_BASE;
    if (in_frame && s->body.open) vec_push(&s->body.in_frame, s->at);
    else if (in_frame) s->at.meaning = 'M'; /* without a beginning of the function its frame is not known */
    if (!s->inside) s->at.meaning = instruction_is_unseen(&i);
    bool outside = !s->marks.open.len; /* a function in assembly, which has a mark */
    if (s->at.meaning == 'M' && outside) s->at.meaning = 0;
    if (s->at.meaning && !(in_frame && s->body.open)) add_record(s, &s->at);
}

/* Instructions of one line are separated by semicolons. */
static void look_at_statement(struct scan *s, char *text)
{
    bool switches = begins(text, ".section") || begins(text, ".pushsection");
    if (switches) s->elsewhere = !strstr(text, ".text") && !strstr(text, "x\"");
    if (begins(text, ".data") || begins(text, ".bss") || begins(text, ".rodata")) s->elsewhere = true;
    if (begins(text, ".text") || begins(text, ".popsection") || begins(text, ".previous")) s->elsewhere = false;
    if (text[strcspn(text, ": \t;")] == ':') frame_see_label(&s->body.use);
    for (char *next; text; text = next) {
        next = strchr(text, ';');
        if (next) *next++ = 0;
        look_at_instruction(s, text);
    }
}

/* A name is a function's, or the same function's in another section; a number can be jumped to. */
static void see_label(struct scan *s, const char *line)
{
    size_t stem = strcspn(line, ".:"), len = strcspn(line, ":");
    if (begins(line, ".L")) {
        bool jumped_to = isdigit((unsigned char)line[2]) || (begins(line, ".LBB") && memchr(line, '_', len));
        if (jumped_to) frame_see_label(&s->body.use);
    } else if (!s->body.open && !(s->body.name && strlen(s->body.name) == stem && begins(line, s->body.name))) {
        end_body(s);
        s->body.name = copy_of(line, stem);
    }
}

static void scan_line(struct scan *s, char *line)
{
    line += strspn(line, " \t");
    if (marks_is_beginning(line)) s->inside = true;
    else if (marks_is_end(line)) s->inside = s->elsewhere = false;
    else if (begins(line, ".file")) note_file(s, line + 5);
    else if (begins(line, ".loc")) sscanf(line + 4, "%d %d", &s->at.file, &s->at.line);
    else if (s->inside) look_at_statement(s, line);
    else if (begins(line, ".cfi_startproc")) s->body.open = true;
    else if (begins(line, ".cfi_endproc")) s->body.open = false;
    else if (line[strcspn(line, ": \t\"")] == ':') see_label(s, line);
    else look_at_instruction(s, line);
}

/* The last atomic instruction of a function that has such ones. */
static void add_atomic(struct scan *s)
{
    s->atomic.meaning = 'A';
    add_record(s, &s->atomic);
    s->marks.leaves_atomics = false;
}

static void scan_text(struct scan *s, char *text)
{
    for (char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        char *copy = copy_of(line, strcspn(line, "\n"));
        marks_see(&s->marks, copy, s->inside, &s->text);
        if (begins(copy + strspn(copy, " \t"), "lock")) s->atomic = s->at;
        if (s->marks.leaves_atomics) add_atomic(s);
        scan_line(s, copy);
        free(copy);
    }
    end_body(s);
}

static void add_section(struct str *text, const char *name, const char *entries)
{
    if (entries && *entries) str_printf(text, "\n\t.section %s,\"\",%%progbits\n%s", name, entries);
}

/* What the assembler gets in place of the text (heap). */
static char *text_with_records(char *text)
{
    bool instrumented = strstr(text, "__tsan_init");
    struct scan s = {.inside = !instrumented};
    if (instrumented) marks_begin(&s.marks, text);
    scan_text(&s, text);
    marks_end(&s.marks, &s.text);
    if (!instrumented) s.text.len = 0, marks_assembly(&s.text, text);
    else add_section(&s.text, SECTION, s.records.at);
    for (size_t i = 0; i < s.files.len; i++) free(s.files.at[i]);
    vec_release(&s.files);
    str_release(&s.records);
    return s.text.at ? s.text.at : xstrdup("");
}

static char *read_all(int fd)
{
    struct str text = {0};
    char buffer[1 << 14];
    for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) str_addn(&text, buffer, (size_t)n);
    return text.at ? text.at : xstrdup("");
}

static bool takes_value(const char *word)
{
    static const char *const names[] = {"-o", "-I", "--defsym", "-MD", "--MD", "--debug-prefix-map", "-march", "-mcpu"};
    return IS_ONE_OF(word, names);
}

/* The file that is assembled; 0: standard input. */
static int input_of(int argc, char **argv)
{
    int input = 0;
    for (int i = 1; i < argc; i++) {
        if (takes_value(argv[i])) i++;
        else if (argv[i][0] != '-') input = i;
    }
    return input;
}

int native_assemble(int argc, char **argv)
{
    int input = input_of(argc, argv);
    int fd = input ? open(argv[input], O_RDONLY | O_CLOEXEC) : 0;
    char *given = fd >= 0 ? read_all(fd) : xstrdup(""), *text = text_with_records(given);
    struct process as = {0};
    struct tempdir scratch = {0};
    words_add(&as.words, "as");
    for (int i = 1; i < argc; i++)
        if (i != input && strcmp(argv[i], "-")) words_add(&as.words, argv[i]);
    tempdir_require(&scratch);
    char *path = tempdir_file(&scratch, "input.s");
    FILE *f = fopen(path, "we");
    if (!f) die("%s: cannot be written", path);
    fputs(text, f);
    if (fclose(f)) die("%s: cannot be written", path);
    words_add(&as.words, path);
    int status = process_run(&as, NULL);
    process_release(&as);
    tempdir_remove(&scratch);
    free(path);
    free(given);
    free(text);
    return status;
}

/* Makes `directory` one in which a compiler that is told -B finds us in the assembler's place. */
void native_take_assemblers_place(const char *directory)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    struct str path = {0};
    str_printf(&path, "%s/as", directory);
    FILE *f = len > 0 ? fopen(path.at, "we") : NULL;
    if (!f) die("%s: cannot be written", path.at);
    self[len] = 0;
    struct str quoted = {0};
    str_add_shell(&quoted, self);
    fprintf(f, "#!/bin/sh\nexec %s cc " NATIVE_ASSEMBLE " \"$@\"\n", quoted.at);
    if (fchmod(fileno(f), 0700) | fclose(f)) die("%s: cannot be written", path.at);
    str_release(&quoted);
    str_release(&path);
}

static void visit_records(const char *at, const char *end, native_foreign *visit, void *context)
{
    for (; at < end; at += strlen(at) + 1) {
        const char *colon = memrchr(at, ':', strnlen(at, (size_t)(end - at)));
        if (!colon || strnlen(at, (size_t)(end - at)) == (size_t)(end - at)) return;
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
            if (kinds[i].code != at[0]) continue;
            char *file = copy_of(at + 1, (size_t)(colon - at - 1));
            visit(context, file, atoi(colon + 1), kinds[i].meaning);
            free(file);
        }
    }
}

void native_foreign_code(const char *executable, native_foreign *visit, void *context)
{
    int fd = open(executable, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    size_t names = 0;
    if (elf && elf_getshdrstrndx(elf, &names)) names = 0;
    for (Elf_Scn *section = NULL; names && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        Elf_Data *data = name && !strcmp(name, SECTION) ? elf_getdata(section, NULL) : NULL;
        if (data && data->d_size) visit_records(data->d_buf, (char *)data->d_buf + data->d_size, visit, context);
    }
    elf_end(elf);
    if (fd >= 0) close(fd);
}
