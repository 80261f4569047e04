/* Inline assembly is outside control: the compiler does not instrument it. It is looked for where it cannot hide, in
 * what the compiler hands to the assembler: `heddle cc` puts itself in the assembler's place, writes down in a section
 * of the object which lines have instructions that matter, and lets the assembler do its work. Empty statements,
 * fences and hints are no reason for a word; neither are operands in the frame of the function itself. */
#define _GNU_SOURCE
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
    {'M', "accesses memory that nobody sees"},
    {'R', "brings in what does not repeat"},
    {'S', "a system call made directly goes past Heddle"},
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

struct scan {
    VEC(char *) files;      /* by number, as .file gave them */
    int file, line;         /* of the instructions that follow */
    bool inside;            /* a statement of the program's own */
    struct str records;     /* directives for the assembler */
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

/* An operand in memory, other than in the function's own frame. */
static bool names_memory(const char *operands)
{
#if defined __aarch64__
    for (const char *p = operands; (p = strchr(p, '[')); p++)
        if (!begins(p, "[sp") && !begins(p, "[x29")) return true;
    return false;
#else
    if (strstr(operands, "%fs:") || strstr(operands, "%gs:")) return false; /* a thread's own */
    for (const char *p = operands; (p = strchr(p, '(')); p++)
        if (!begins(p, "(%rsp") && !begins(p, "(%rbp") && !begins(p, "(%esp") && !begins(p, "(%ebp")) return true;
    for (const char *p = operands; *p; p += *p == ',') { /* a symbol by itself */
        while (isspace((unsigned char)*p) || *p == '*') p++;
        if (isalpha((unsigned char)*p) || *p == '_') return true;
        p += strcspn(p, ",");
    }
    return false;
#endif
}

/* What one instruction means, 0: nothing. */
static char meaning_of(char *text)
{
    static const char *const prefixes[] = {"lock", "rep", "repe", "repne", "repz", "repnz", "data16", "notrack"};
    static const char *const silent[] = {"lea", "leaq", "leal", "adr", "adrp", "clflush"};
    static const char *const strange[] = {"rdtsc", "rdtscp", "rdrand", "rdseed", "rdpmc"};
    static const char *const strings[] = {"movsb", "movsw", "movsl", "movsq", "stosb", "stosw", "stosl", "stosq",
                                          "scasb", "cmpsb", "lodsb", "xlat",  "xlatb"};
    char *word = text;
    for (;;) {
        word += strspn(word, " \t");
        size_t len = strcspn(word, " \t");
        char *rest = word[len] ? word + len + 1 : word + len;
        word[len] = 0;
        if (!*word || *word == '.' || *word == '#') return 0;
        if (IS_ONE_OF(word, prefixes) || word[len - 1] == ':') {
            word = rest;
            continue;
        }
        if (IS_ONE_OF(word, strange) || begins(word, "rdrand") || begins(word, "rdseed")) return 'R';
        if (!strcmp(word, "syscall") || !strcmp(word, "svc") || !strcmp(word, "int")) return 'S';
        if (IS_ONE_OF(word, strings)) return 'M';
        bool jumps = word[0] == 'j' || word[0] == 'b' || begins(word, "cb") || begins(word, "tb");
        if (begins(word, "call") || !strcmp(word, "bl") || !strcmp(word, "blr")) return 'M';
        return !jumps && !IS_ONE_OF(word, silent) && !begins(word, "prefetch") && names_memory(rest) ? 'M' : 0;
    }
}

static void add_record(struct scan *s, char code)
{
    const char *file = (size_t)s->file < s->files.len && s->files.at[s->file] ? s->files.at[s->file] : "?";
    struct str record = {0};
    str_printf(&record, "\t.asciz \"%c%s:%d\"\n", code, file, s->line);
    if (!s->records.at || !strstr(s->records.at, record.at)) str_add(&s->records, record.at);
    str_release(&record);
}

/* Instructions of one line are separated by semicolons. */
static void look_at_line(struct scan *s, char *text)
{
    for (char *next; text; text = next) {
        next = strchr(text, ';');
        if (next) *next++ = 0;
        char code = meaning_of(text);
        if (code) add_record(s, code);
    }
}

static void scan_line(struct scan *s, char *line)
{
    line += strspn(line, " \t");
    if (begins(line, "#APP")) s->inside = true;
    else if (begins(line, "#NO_APP")) s->inside = false;
    else if (begins(line, ".file")) note_file(s, line + 5);
    else if (begins(line, ".loc")) sscanf(line + 4, "%d %d", &s->file, &s->line);
    else if (s->inside) look_at_line(s, line);
}

static char *records_of(char *text)
{
    struct scan s = {0};
    for (char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        size_t len = strcspn(line, "\n");
        char *copy = copy_of(line, len);
        scan_line(&s, copy);
        free(copy);
    }
    for (size_t i = 0; i < s.files.len; i++) free(s.files.at[i]);
    vec_release(&s.files);
    return s.records.at;
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
    char *text = fd >= 0 ? read_all(fd) : xstrdup(""), *records = records_of(text);
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
    if (records) fprintf(f, "\n\t.section " SECTION ",\"\",%%progbits\n%s", records);
    if (fclose(f)) die("%s: cannot be written", path);
    words_add(&as.words, path);
    int status = process_run(&as, NULL);
    process_release(&as);
    tempdir_remove(&scratch);
    free(path);
    free(text);
    free(records);
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
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
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
