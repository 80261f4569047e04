/* Compilers. `heddle cc` behaves like the compiler it stands for, except that objects are instrumented and programs are
 * linked with the runtime. A command that both compiles and links is split, because the compiler would otherwise link
 * its own sanitizer library. */
#define _GNU_SOURCE
#include "native/native.h"

#include "runtime/strings.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void words_add(struct words *w, const char *word) { vec_push(w, xstrdup(word)); }

void words_split(struct words *w, const char *text)
{
    struct str word = {0};
    char quote = 0;
    bool any = false;
    for (const char *p = text;; p++) {
        bool space = *p == 0 || *p == ' ' || *p == '\t' || *p == '\n';
        if ((space && !quote) || !*p) {
            if (any) words_add(w, str_get(&word));
            str_release(&word);
            any = false;
            if (!*p) return;
        } else if (quote ? *p == quote : (*p == '"' || *p == '\'')) {
            quote = quote ? 0 : *p;
            any = true;
        } else {
            str_addc(&word, *p);
            any = true;
        }
    }
}

void words_release(struct words *w)
{
    for (size_t i = 0; i < w->len; i++) free(w->at[i]);
    vec_release(w);
}

int run_command(const struct words *w)
{
    struct words copy = {0};
    for (size_t i = 0; i < w->len; i++) vec_push(&copy, w->at[i]);
    vec_push(&copy, NULL);
    pid_t pid;
    int status = 127 << 8;
    if (posix_spawnp(&pid, copy.at[0], NULL, NULL, copy.at, environ) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    vec_release(&copy);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Beside the binary in the build tree, or in lib/heddle of the place it was installed to. */
static char *find_file(const char *const *candidates, size_t n)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len < 0) return NULL;
    self[len] = 0;
    char *slash = strrchr(self, '/');
    *slash = 0;
    for (size_t i = 0; i < n; i++) {
        struct str path = {0};
        str_printf(&path, "%s/%s", self, candidates[i]);
        if (access(path.at, R_OK) == 0) return path.at;
        str_release(&path);
    }
    return NULL;
}

char *runtime_object(void)
{
    static const char *const places[] = {"heddle_rt.o", "../lib/heddle/heddle_rt.o"};
    return find_file(places, ARRAY_LEN(places));
}

char *header_directory(void)
{
    static const char *const places[] = {"../include/heddle.h"};
    char *header = find_file(places, ARRAY_LEN(places));
    if (header) *strrchr(header, '/') = 0;
    return header;
}

static bool has_suffix(const char *path, const char *const *suffixes, size_t n)
{
    const char *dot = strrchr(path_basename(path), '.');
    for (size_t i = 0; dot && i < n; i++)
        if (!strcmp(dot, suffixes[i])) return true;
    return false;
}

bool is_cxx_file(const char *path)
{
    static const char *const suffixes[] = {".cc", ".cpp", ".cxx", ".C", ".c++", ".ii"};
    return has_suffix(path, suffixes, ARRAY_LEN(suffixes));
}

bool is_source_file(const char *path)
{
    static const char *const suffixes[] = {".c", ".i", ".s", ".S"};
    return is_cxx_file(path) || has_suffix(path, suffixes, ARRAY_LEN(suffixes));
}

/* Options whose value is the next word. */
static bool takes_value(const char *word)
{
    static const char *const names[] = {"-o",
                                        "-I",
                                        "-D",
                                        "-U",
                                        "-L",
                                        "-l",
                                        "-x",
                                        "-include",
                                        "-imacros",
                                        "-isystem",
                                        "-iquote",
                                        "-idirafter",
                                        "-MF",
                                        "-MT",
                                        "-MQ",
                                        "-Xlinker",
                                        "-Xpreprocessor",
                                        "-Xassembler",
                                        "-Xclang",
                                        "-T",
                                        "-u",
                                        "-z",
                                        "-e",
                                        "-aux-info",
                                        "--param",
                                        "-target",
                                        "-arch",
                                        "-isysroot",
                                        "-framework",
                                        "-wrapper",
                                        "-specs"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(word, names[i])) return true;
    return false;
}

struct command {
    bool links, shared, has_source;
    const char *output;
};

static struct command look_at(const struct words *w)
{
    struct command c = {.links = true};
    bool input = false;
    for (size_t i = 0; i < w->len; i++) {
        const char *a = w->at[i];
        if (!strcmp(a, "-c") || !strcmp(a, "-S") || !strcmp(a, "-E") || !strcmp(a, "-M") || !strcmp(a, "-MM") ||
            !strcmp(a, "-fsyntax-only") || !strncmp(a, "-print", 6) || !strncmp(a, "--print", 7) ||
            !strcmp(a, "--version") || !strcmp(a, "--help") || !strcmp(a, "-dumpversion") || !strcmp(a, "-dumpmachine"))
            c.links = false;
        if (!strcmp(a, "-shared") || !strcmp(a, "-r")) c.shared = true;
        if (takes_value(a)) i++;
        else if (a[0] != '-' || !strcmp(a, "-")) {
            input = true;
            c.has_source |= is_source_file(a);
        }
    }
    c.links &= input;
    return c;
}

static const char *const compile_flags[] = {"-fsanitize=thread", "-g", "-fno-omit-frame-pointer"};

/* The file that a command name stands for, links followed: cc may be clang. */
static bool is_clang(const char *compiler)
{
    struct words w = {0};
    words_split(&w, compiler);
    const char *path = getenv("PATH");
    bool found = w.len && strstr(path_basename(w.at[0]), "clang");
    while (!found && w.len && path && *path) {
        size_t len = strcspn(path, ":");
        struct str candidate = {0};
        str_printf(&candidate, "%.*s/%s", (int)len, path, w.at[0]);
        char *real = realpath(candidate.at, NULL);
        str_release(&candidate);
        path += len + (path[len] == ':');
        if (!real) continue;
        found = strstr(path_basename(real), "clang") != NULL;
        free(real);
        break;
    }
    words_release(&w);
    return found;
}

static void add_header_path(struct words *w)
{
    char *dir = header_directory();
    if (dir) {
        words_add(w, "-idirafter");
        words_add(w, dir);
    }
    free(dir);
}

static void add_link_flags(struct words *w, bool shared)
{
    static const char *const flags[] = {"-rdynamic", "-Wl,-z,now", "-Wl,--emit-relocs", "-ldl", "-lpthread"};
    if (shared) return;
    char *object = runtime_object();
    if (!object)
        die("heddle_rt.o is neither beside the heddle binary nor in ../lib/heddle: the installation is incomplete");
    static const char *const wrapped[] = {
#define WRAP(result, name, parameters, arguments, accesses) "-Wl,--wrap=" #name,
        STRING_CALLS(WRAP)
#undef WRAP
    };
    for (size_t i = 0; i < ARRAY_LEN(wrapped); i++) words_add(w, wrapped[i]);
    words_add(w, "-xnone");
    words_add(w, object);
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) words_add(w, flags[i]);
    free(object);
}

static void add_clang_flags(struct words *w)
{
    words_add(w, "-mllvm");
    words_add(w, "-tsan-instrument-read-before-write=1"); /* of a read and a write to one place it leaves out the read */
    words_add(w, "-gdwarf-aranges");                      /* libdw finds lines by them */
}

/* It makes stores of string functions when it optimises, which nobody sees; and it warns of fences, which we know. */
static void add_gcc_flags(struct words *w)
{
    static const char *const flags[] = {
        "-Wno-tsan",
#define KEEP_CALL(result, name, parameters, arguments, accesses) "-fno-builtin-" #name,
        STRING_CALLS(KEEP_CALL)
#undef KEEP_CALL
    };
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) words_add(w, flags[i]);
}

static int compile_only(const char *compiler, const struct words *arguments)
{
    struct words w = {0};
    words_add(&w, compiler);
    for (size_t i = 0; i < ARRAY_LEN(compile_flags); i++) words_add(&w, compile_flags[i]);
    if (is_clang(compiler)) add_clang_flags(&w);
    else add_gcc_flags(&w);
    for (size_t i = 0; i < arguments->len; i++) words_add(&w, arguments->at[i]);
    add_header_path(&w);
    int status = run_command(&w);
    words_release(&w);
    return status;
}

/* The arguments of one compilation out of a command with several inputs: its options without inputs and output. */
static int compile_one(const char *compiler, const struct words *arguments, const char *source, const char *object)
{
    struct words w = {0};
    for (size_t i = 0; i < arguments->len; i++) {
        const char *a = arguments->at[i];
        bool value = takes_value(a) && i + 1 < arguments->len;
        if (!strcmp(a, "-o") || !strncmp(a, "-l", 2) || !strcmp(a, "-L")) {
            i += value;
            continue;
        }
        if (a[0] != '-' && !value) continue;
        words_add(&w, a);
        if (value) words_add(&w, arguments->at[++i]);
    }
    words_add(&w, "-c");
    words_add(&w, source);
    words_add(&w, "-o");
    words_add(&w, object);
    int status = compile_only(compiler, &w);
    words_release(&w);
    return status;
}

static int link_program(const char *compiler, const struct words *arguments, bool shared)
{
    struct words w = {0};
    words_add(&w, compiler);
    for (size_t i = 0; i < arguments->len; i++)
        if (strcmp(arguments->at[i], "-static") && strcmp(arguments->at[i], "-s")) words_add(&w, arguments->at[i]);
    add_link_flags(&w, shared);
    int status = run_command(&w);
    words_release(&w);
    return status;
}

/* Compiles every source of a compile-and-link command into `directory`, and links the objects in their place. */
static int compile_and_link(const char *compiler, const struct words *arguments, bool shared, const char *directory)
{
    struct words link = {0};
    int status = 0;
    for (size_t i = 0; i < arguments->len && !status; i++) {
        const char *a = arguments->at[i];
        if (takes_value(a) && i + 1 < arguments->len) {
            if (strcmp(a, "-x")) {
                words_add(&link, a);
                words_add(&link, arguments->at[i + 1]);
            }
            i++;
        } else if (a[0] != '-' && is_source_file(a)) {
            struct str object = {0};
            str_printf(&object, "%s/%zu.o", directory, i);
            status = compile_one(compiler, arguments, a, object.at);
            words_add(&link, object.at);
            str_release(&object);
        } else {
            words_add(&link, a);
        }
    }
    if (!status) status = link_program(compiler, &link, shared);
    words_release(&link);
    return status;
}

static void remove_directory(const char *directory)
{
    struct words w = {0};
    words_add(&w, "rm");
    words_add(&w, "-rf");
    words_add(&w, "--");
    words_add(&w, directory);
    run_command(&w);
    words_release(&w);
}

int native_cc(const char *compiler, const struct words *arguments)
{
    struct command c = look_at(arguments);
    if (!c.links) return compile_only(compiler, arguments);
    if (!c.has_source) return link_program(compiler, arguments, c.shared);
    char directory[] = "/tmp/heddle-cc-XXXXXX";
    if (!mkdtemp(directory)) die("cannot make a temporary directory: %s", strerror(errno));
    int status = compile_and_link(compiler, arguments, c.shared, directory);
    remove_directory(directory);
    return status;
}

int native_compile(const char *const *files, size_t count, const char *cflags, const char *compiler, const char *output)
{
    struct words w = {0};
    words_split(&w, cflags);
    for (size_t i = 0; i < count; i++) words_add(&w, files[i]);
    words_add(&w, "-o");
    words_add(&w, output);
    int status = native_cc(compiler, &w);
    words_release(&w);
    return status;
}

/* An ELF program that exports the runtime's entry point. */
bool is_checkable_executable(const char *path)
{
    size_t len = 0;
    if (access(path, X_OK) != 0) return false;
    char *data = read_file(path, &len);
    bool elf = data && len > sizeof(Elf64_Ehdr) && !memcmp(data, ELFMAG, SELFMAG);
    static const char name[] = "__tsan_func_entry";
    bool found = elf && memmem(data, len, name, sizeof name) != NULL;
    free(data);
    return found;
}
