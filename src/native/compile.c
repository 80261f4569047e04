/* Compilers. `heddle cc` behaves like the compiler it stands for, except that objects are instrumented and programs are
 * linked with the runtime. A command that both compiles and links is split, because the compiler would otherwise link
 * its own sanitizer library. */
#define _GNU_SOURCE
#include "native/native.h"

#include "base/compiler.h"
#include "base/tempdir.h"
#include "runtime/cxx.h"
#include "runtime/strings.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What each of the commands of one compilation runs in. What a compiler that is killed leaves behind lies in `scratch`.
 */
struct surroundings {
    struct tempdir scratch;
    const struct limits *limits;
};

static int run_compiler(const struct words *w, const struct surroundings *around)
{
    struct process p = {.own_group = true};
    for (size_t i = 0; i < w->len; i++) words_add(&p.words, w->at[i]);
    words_printf(&p.environment, "TMPDIR=%s", around->scratch.path);
    int status = process_run(&p, around->limits);
    process_release(&p);
    return status;
}

char *runtime_object(void)
{
    static const char *const places[] = {"heddle_rt.o", "../lib/heddle/heddle_rt.o"};
    return program_file(places, ARRAY_LEN(places));
}

char *header_directory(void)
{
    static const char *const places[] = {"../include/heddle.h"};
    char *header = program_file(places, ARRAY_LEN(places));
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
    static const char *const suffixes[] = {".cc", ".cp", ".cpp", ".CPP", ".cxx", ".C", ".c++", ".ii"};
    return has_suffix(path, suffixes, ARRAY_LEN(suffixes));
}

bool is_source_file(const char *path)
{
    static const char *const suffixes[] = {".c", ".i", ".s", ".S", ".sx"};
    return is_cxx_file(path) || has_suffix(path, suffixes, ARRAY_LEN(suffixes));
}

void native_add_files(const struct native_build *b, struct words *out)
{
    size_t cxx = 0;
    for (size_t i = 0; i < b->count; i++) cxx += is_cxx_file(b->files[i]);
    for (size_t i = 0; i < b->count; i++) {
        static const char *const c[] = {".c"}, *const preprocessed[] = {".i"};
        const char *path = b->files[i];
        if (cxx && cxx < b->count) {
            words_add(out, "-x");
            words_add(out, has_suffix(path, c, 1) ? "c" : has_suffix(path, preprocessed, 1) ? "cpp-output" : "none");
        }
        words_printf(out, "%s%s", strchr("-@", path[0]) ? "./" : "", path); /* which mean something to compilers */
    }
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

/* The language that a word, with the one behind it, says the inputs behind them have; before: the one until then,
 * "none": by their names. */
static const char *language_after(const char *before, const char *word, const char *next)
{
    if (strncmp(word, "-x", 2)) return before;
    return word[2] ? word + 2 : next;
}

static bool is_input(const char *word) { return word[0] != '-' || !word[1]; }

/* Whatever it is called, if it is said to be one. */
static bool is_source(const char *language, const char *path)
{
    return is_input(path) && (strcmp(language, "none") != 0 || is_source_file(path));
}

struct invocation {
    bool links, shared, has_source;
    const char *output;
};

static struct invocation look_at(const struct words *w)
{
    struct invocation c = {.links = true};
    const char *language = "none";
    bool input = false;
    for (size_t i = 0; i < w->len; i++) {
        const char *a = w->at[i];
        language = language_after(language, a, i + 1 < w->len ? w->at[i + 1] : "none");
        if (!strcmp(a, "-c") || !strcmp(a, "-S") || !strcmp(a, "-E") || !strcmp(a, "-M") || !strcmp(a, "-MM") ||
            !strcmp(a, "-fsyntax-only") || !strncmp(a, "-print", 6) || !strncmp(a, "--print", 7) ||
            !strcmp(a, "--version") || !strcmp(a, "--help") || !strcmp(a, "-dumpversion") || !strcmp(a, "-dumpmachine"))
            c.links = false;
        if (!strcmp(a, "-shared") || !strcmp(a, "-r")) c.shared = true;
        if (takes_value(a)) i++;
        else if (is_input(a)) {
            input = true;
            c.has_source |= is_source(language, a);
        }
    }
    c.links &= input;
    return c;
}

static const char *const compile_flags[] = {"-D__HEDDLE__=1", "-fsanitize=thread", "-g", "-fno-omit-frame-pointer"};

static void add_header_path(struct words *w)
{
    char *dir = header_directory();
    if (dir) {
        words_add(w, "-idirafter");
        words_add(w, dir);
        words_add(w, "-isystem"); /* headers that stand in the place of a library's */
        words_printf(w, "%s/heddle", dir);
    }
    free(dir);
}

/* has_archive: of the C++ library, where functions that are called in a roundabout way would not be found. */
static void add_link_flags(struct words *w, bool shared, bool has_archive)
{
    static const char *const flags[] = {"-rdynamic", "-Wl,-z,now", "-Wl,--emit-relocs", "-Wl,--wrap=dlsym",
                                        "-Wl,-z,separate-code", "-ldl", "-lpthread"};
    if (shared) return;
    char *object = runtime_object();
    if (!object)
        die("heddle_rt.o is neither beside the heddle binary nor in ../lib/heddle: the installation is incomplete");
    static const char *const wrapped[] = {
#define WRAP(result, name, parameters, arguments, accesses) "-Wl,--wrap=" #name,
        STRING_CALLS(WRAP)
    };
    static const char *const of_cxx[] = {CXX_CALLS(WRAP)};
#undef WRAP
    for (size_t i = 0; i < ARRAY_LEN(wrapped); i++) words_add(w, wrapped[i]);
    for (size_t i = 0; i < ARRAY_LEN(of_cxx) && !has_archive; i++) words_add(w, of_cxx[i]);
    words_add(w, "-xnone");
    words_add(w, object);
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) words_add(w, flags[i]);
    free(object);
}

static void add_clang_flags(struct words *w)
{
    words_add(w, "-mllvm");
    words_add(w, "-tsan-instrument-read-before-write=1"); /* else a read before a write to the same place is not seen */
    words_add(w, "-mllvm");
    words_add(w, "-tsan-distinguish-volatile=1");
    /* Members and elements of a local variable are not instrumented if the address of that one place goes nowhere, also
     * where that of the whole variable does. Nothing is known of addresses then, and all is instrumented. */
    words_add(w, "-mllvm");
    words_add(w, "-capture-tracking-max-uses-to-explore=0");
    words_add(w, "-gdwarf-aranges");                      /* libdw finds lines by them */
    words_add(w, "-fno-integrated-as"); /* inline assembly is looked for on its way to the assembler */
}

/* Last, whatever was asked for: what is wider than 16 bytes is not instrumented. */
static void add_last_clang_flags(struct words *w)
{
    words_add(w, "-fno-vectorize");
    words_add(w, "-fno-slp-vectorize");
}

/* It makes stores of string functions when it optimises, which nobody sees; and it warns of fences, which we know. */
static void add_gcc_flags(struct words *w)
{
    static const char *const flags[] = {
        "-Wno-tsan",
        "--param=tsan-distinguish-volatile=1",
#define KEEP_CALL(result, name, parameters, arguments, accesses) "-fno-builtin-" #name,
        STRING_CALLS(KEEP_CALL)
#undef KEEP_CALL
    };
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) words_add(w, flags[i]);
}

/* Other sanitizers of memory and threads have runtimes that cannot be in the same program; what is left of a list. */
static void add_sanitizers(struct words *w, const char *list)
{
    static const char *const others[] = {"thread", "address", "leak", "memory", "hwaddress", "kernel-address"};
    struct words names = {0};
    char kept[256] = "";
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        words_printf(&names, "%.*s", (int)strcspn(p, ","), p);
    for (size_t i = 0; i < names.len; i++) {
        bool other = false;
        for (size_t k = 0; k < ARRAY_LEN(others); k++) other |= !strcmp(names.at[i], others[k]);
        if (!other && strlen(kept) + strlen(names.at[i]) + 2 < sizeof kept)
            strcat(strcat(kept, *kept ? "," : ""), names.at[i]);
    }
    if (*kept) words_printf(w, "-fsanitize=%s", kept);
    words_release(&names);
}

static bool has_word(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->len; i++)
        if (!strcmp(words->at[i], word)) return true;
    return false;
}

/* What was asked for, without options that leave the program without instrumentation (link-time optimisation forgets
 * it) or without marks (the assembler is ours), and without those that cannot be linked with the runtime. */
static void add_arguments(struct words *w, const struct words *arguments, bool links)
{
    if (has_word(arguments, "-masm=intel")) die("-masm=intel: only assembly in AT&T syntax can be observed");
    static const char *const unlinkable[] = {"-static", "-static-pie", "-s", "-Wl,-s", "-Wl,--strip-all", "-Wl,-S",
                                             "-Wl,--strip-debug"};
    for (size_t i = 0; i < arguments->len; i++) {
        const char *a = arguments->at[i];
        bool integrated = !strcmp(a, "-fintegrated-as") || !strcmp(a, "-integrated-as");
        bool dropped = integrated || !strncmp(a, "-flto", 5) || !strcmp(a, "-ffat-lto-objects") ||
                       !strncmp(a, "-fno-sanitize=", 14);
        for (size_t k = 0; links && k < ARRAY_LEN(unlinkable); k++) dropped |= !strcmp(a, unlinkable[k]);
        if (!strncmp(a, "-fsanitize=", 11)) add_sanitizers(w, a + 11);
        else if (!dropped) words_add(w, a);
    }
}

static int compile_only(const char *compiler, const struct words *arguments, const struct surroundings *around)
{
    struct words w = {0};
    words_split(&w, compiler);
    for (size_t i = 0; i < ARRAY_LEN(compile_flags); i++) words_add(&w, compile_flags[i]);
    if (compiler_is_clang(compiler)) add_clang_flags(&w);
    else add_gcc_flags(&w);
    words_printf(&w, "-B%s", around->scratch.path);
    add_arguments(&w, arguments, false);
    if (compiler_is_clang(compiler)) add_last_clang_flags(&w);
    add_header_path(&w);
    int status = run_compiler(&w, around);
    words_release(&w);
    return status;
}

/* Standards of the other language, which some compilers do not take. */
static bool is_foreign_standard(const char *word, const char *language)
{
    bool cxx = !strncmp(word, "-std=c++", 8) || !strncmp(word, "-std=gnu++", 10);
    return cxx && (!strcmp(language, "c") || !strcmp(language, "cpp-output"));
}

/* The arguments of one compilation out of a command with several inputs: its options without inputs and output. */
static int compile_one(const char *compiler, const struct words *arguments, const char *language, const char *source,
                       const char *object, const struct surroundings *around)
{
    struct words w = {0};
    for (size_t i = 0; i < arguments->len; i++) {
        const char *a = arguments->at[i];
        bool value = takes_value(a) && i + 1 < arguments->len;
        if (!strcmp(a, "-o") || !strncmp(a, "-l", 2) || !strcmp(a, "-L") || !strncmp(a, "-x", 2)) {
            i += value;
            continue;
        }
        if ((is_input(a) && !value) || is_foreign_standard(a, language)) continue;
        words_add(&w, a);
        if (value) words_add(&w, arguments->at[++i]);
    }
    words_add(&w, "-c");
    words_printf(&w, "-x%s", language);
    words_add(&w, source);
    words_add(&w, "-o");
    words_add(&w, object);
    int status = compile_only(compiler, &w, around);
    words_release(&w);
    return status;
}

/* Our functions for exceptions call those of the shared C++ library. Of an archive the linker takes its own instead, if
 * something else in the same member is wanted. */
static void prefer_archive(struct words *w)
{
    words_add(w, "-Wl,-u,__cxa_get_exception_ptr");
    words_add(w, "-Wl,-u,_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
}

/* The linker says which object each function came from, unless the user wants the map. */
static char *add_map(struct words *w, const struct words *arguments, const struct surroundings *around)
{
    for (size_t i = 0; i < arguments->len; i++)
        if (strstr(arguments->at[i], "-Map")) return NULL;
    char *map = tempdir_file(&around->scratch, "map");
    words_printf(w, "-Wl,-Map=%s", map);
    return map;
}

static const char *output_of(const struct words *arguments)
{
    const char *output = "a.out";
    for (size_t i = 0; i < arguments->len; i++) {
        if (!strcmp(arguments->at[i], "-o") && i + 1 < arguments->len) output = arguments->at[i + 1];
        else if (!strncmp(arguments->at[i], "-o", 2) && arguments->at[i][2]) output = arguments->at[i] + 2;
    }
    return output;
}

static int link_program(const char *compiler, const struct words *arguments, bool shared,
                        const struct surroundings *around)
{
    struct words w = {0};
    words_split(&w, compiler);
    add_arguments(&w, arguments, true);
    bool has_archive = has_word(arguments, "-static-libstdc++");
    add_link_flags(&w, shared, has_archive);
    if (has_archive) prefer_archive(&w);
    if (has_word(arguments, "-fopenmp")) words_add(&w, "-Wl,--no-as-needed"); /* or its library is dropped */
    char *map = shared ? NULL : add_map(&w, arguments, around);
    int status = run_compiler(&w, around);
    if (!status && !shared) native_keep_inputs(output_of(arguments), map);
    free(map);
    words_release(&w);
    return status;
}

/* Whether an object defines main(). */
static bool has_main(const char *object)
{
    size_t len = 0;
    char *data = read_file(object, &len);
    Elf *elf = data ? elf_memory(data, len) : NULL;
    bool found = false;
    for (Elf_Scn *section = NULL; elf && !found && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        GElf_Sym symbol;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
        Elf_Data *symbols = elf_getdata(section, NULL);
        for (int i = 0; symbols && !found && gelf_getsym(symbols, i, &symbol); i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            found = name && !strcmp(name, "main") && symbol.st_shndx != SHN_UNDEF;
        }
    }
    elf_end(elf);
    free(data);
    return found;
}

/* A linker would complain of it in its own way. */
static bool two_programs(const struct words *sources, const struct words *objects)
{
    const char *first = NULL;
    elf_version(EV_CURRENT);
    for (size_t i = 0; i < objects->len; i++) {
        if (!has_main(objects->at[i])) continue;
        if (first) {
            fprintf(stderr, "heddle: error: %s and %s both have a main(): give the sources of one program at a time\n",
                    first, sources->at[i]);
            return true;
        }
        first = sources->at[i];
    }
    return false;
}

/* Compiles every source of a compile-and-link command into `scratch`, and links the objects in their place. */
static int compile_and_link(const char *compiler, const struct words *arguments, bool shared,
                            const struct surroundings *around)
{
    struct words link = {0}, sources = {0}, objects = {0};
    const char *language = "none";
    int status = 0;
    for (size_t i = 0; i < arguments->len && !status; i++) {
        const char *a = arguments->at[i];
        bool value = takes_value(a) && i + 1 < arguments->len;
        language = language_after(language, a, value ? arguments->at[i + 1] : "none");
        if (!strncmp(a, "-x", 2)) {
            i += value;
        } else if (value) {
            words_add(&link, a);
            words_add(&link, arguments->at[++i]);
        } else if (is_source(language, a)) {
            struct str object = {0};
            str_printf(&object, "%s/%zu.o", around->scratch.path, i);
            status = compile_one(compiler, arguments, language, a, object.at, around);
            words_add(&link, object.at);
            words_add(&sources, a);
            words_add(&objects, object.at);
            str_release(&object);
        } else {
            words_add(&link, a);
        }
    }
    if (!status && sources.len > 1 && two_programs(&sources, &objects)) status = NATIVE_REFUSED;
    if (!status) status = link_program(compiler, &link, shared, around);
    words_release(&link);
    words_release(&sources);
    words_release(&objects);
    return status;
}

int native_cc(const char *compiler, const struct words *arguments, const struct limits *limits)
{
    struct invocation c = look_at(arguments);
    struct surroundings around = {.limits = limits};
    tempdir_require(&around.scratch);
    native_take_assemblers_place(around.scratch.path);
    int status = !c.links        ? compile_only(compiler, arguments, &around)
                 : !c.has_source ? link_program(compiler, arguments, c.shared, &around)
                                 : compile_and_link(compiler, arguments, c.shared, &around);
    tempdir_remove(&around.scratch);
    return status;
}

int native_compile(const struct native_build *b, const char *compiler, const char *output, const struct limits *limits)
{
    struct words w = {0};
    words_split(&w, b->cflags);
    if (b->hidden) words_printf(&w, "-ffile-prefix-map=%s/=", b->hidden);
    native_add_files(b, &w);
    words_split(&w, b->ldflags);
    for (size_t i = 0; i < b->library_count; i++) words_printf(&w, "-l%s", b->libraries[i]);
    words_add(&w, "-o");
    words_add(&w, output);
    int status = native_cc(compiler, &w, limits);
    words_release(&w);
    return status;
}

bool is_executable(const char *path)
{
    char magic[SELFMAG] = "";
    FILE *f = access(path, X_OK) == 0 ? fopen(path, "re") : NULL;
    bool elf = f && fread(magic, 1, SELFMAG, f) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
    if (f) fclose(f);
    return elf;
}

/* The names that a program exports are near its beginning, long before the information for debuggers. */
static bool has_bytes(FILE *f, const char *bytes, size_t size)
{
    enum { PIECE = 1 << 16, MOST = 64 };
    char piece[MOST + PIECE];
    bool found = false;
    assert(size <= MOST);
    for (size_t kept = 0, n; !found && (n = fread(piece + kept, 1, PIECE, f)) > 0;) {
        found = memmem(piece, kept + n, bytes, size) != NULL;
        size_t rest = kept + n < size ? kept + n : size - 1;
        memmove(piece, piece + kept + n - rest, rest);
        kept = rest;
    }
    return found;
}

/* An ELF program that exports the runtime's entry point. */
bool is_checkable_executable(const char *path)
{
    static const char name[] = "__tsan_func_entry";
    FILE *f = is_executable(path) ? fopen(path, "re") : NULL;
    bool found = f && has_bytes(f, name, sizeof name);
    if (f) fclose(f);
    return found;
}
