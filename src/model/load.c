/* C text -> functions. libtcc compiles in memory within milliseconds; if the run lasts, `cc -O2` compiles the same
 * text in the background, and its functions take over between two states. Without a C compiler libtcc alone does.
 * What cc made is kept for the next run of the same text (base/cache.h), which then begins with it. */
#define _GNU_SOURCE
#include "model/internal.h"

#include "base/cache.h"
#include "base/compiler.h"
#include "base/process.h"
#include "base/tempdir.h"
#include "base/version.h"

#include <assert.h>
#include <dlfcn.h>
#include <libtcc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct loader {
    TCCState *tcc;
    void *library;              /* from cc */
    const struct code *code;
    char *text;
    struct tempdir directory;   /* of the background compilation */
    struct process compiler;
    bool compiling;
    double start_compiler_at;   /* 0: not wanted, or already started */
    char *key;                  /* in the cache; NULL: nothing is kept */
};

static const char cc_flags[] = " -O2 -shared -fPIC -w -fwrapv -fno-strict-aliasing -o";

/* What a run must have taken before the better compiler is worth its time: seconds, and steps asked for; or, with fewer
 * and longer steps, seconds alone. */
static const double PATIENCE = 0.15, LONG_PATIENCE = 2;
enum { MANY_CALLS = 1 << 15 };

static void ignore_message(void *opaque, const char *message)
{
    struct str *s = opaque;
    if (!s->len) str_add(s, message);
}

/* libtcc ends the program when something fails outside of a compilation; the Makefile makes its exit() this. */
void libtcc_exits(int status)
{
    die("libtcc gives up (%d): it cannot have the memory that the model needs", status);
}

/* When libtcc refuses the text the C compiler may still take it (C code with headers that libtcc cannot read, or
 * expressions that are nested too deeply for it). */
static const struct code *compile_in_memory(struct loader *l, struct str *message)
{
    TCCState *t = tcc_new();
    if (!t) return NULL;
    l->tcc = t;
    tcc_set_error_func(t, message, ignore_message);
    tcc_set_options(t, "-nostdlib -w");
    tcc_set_output_type(t, TCC_OUTPUT_MEMORY);
    if (tcc_compile_string(t, l->text) < 0) return NULL;
    tcc_add_symbol(t, "memcpy", memcpy);
    tcc_add_symbol(t, "memmove", memmove);
    tcc_add_symbol(t, "memset", memset);
    if (tcc_relocate(t, TCC_RELOCATE_AUTO) < 0) return NULL;
    return tcc_get_symbol(t, "heddle_model");
}

static void stop_compiler(struct loader *l)
{
    process_release(&l->compiler);
    tempdir_remove(&l->directory);
    l->compiling = false;
}

static bool write_source(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fputs(text, f);
    return file_finish(f, path) == 0;
}

static void start_compiler(struct loader *l)
{
    assert(!l->compiling && !l->library); /* once in the life of a loader */
    l->start_compiler_at = 0;
    if (tempdir_make(&l->directory)) return;
    char *source = tempdir_file(&l->directory, "model.c"), *target = tempdir_file(&l->directory, "model.so");
    l->compiler = (struct process){.out = PROCESS_NULL, .err = PROCESS_NULL, .own_group = true};
    words_split(&l->compiler.words, compiler_choose(LANGUAGE_C, NULL));
    words_split(&l->compiler.words, cc_flags);
    words_add(&l->compiler.words, target);
    words_add(&l->compiler.words, source);
    words_printf(&l->compiler.environment, "TMPDIR=%s", l->directory.path); /* what a killed compiler leaves is there */
    l->compiling = write_source(source, l->text) && process_start(&l->compiler) == 0;
    if (!l->compiling) stop_compiler(l);
    free(source);
    free(target);
}

static bool take_over(struct loader *l)
{
    assert(l->compiling);
    char *target = tempdir_file(&l->directory, "model.so");
    l->library = l->compiler.status == 0 ? dlopen(target, RTLD_NOW | RTLD_LOCAL) : NULL;
    const struct code *code = l->library ? dlsym(l->library, "heddle_model") : NULL;
    if (code && l->key) cache_keep(l->key, target);
    free(target);
    stop_compiler(l);
    if (code) l->code = code;
    return code != NULL;
}

/* All that the code depends on: the text has the structures that it shares with us in it. C code of the user's may
 * include files of which nothing is known here, so it is never kept. */
static char *cache_key(const char *text)
{
    struct str s = {0};
    str_printf(&s, "heddle %s\n%s\n%s\n", HEDDLE_VERSION, __VERSION__, cc_flags);
    compiler_identify(compiler_choose(LANGUAGE_C, NULL), &s);
    str_add(&s, text);
    char *key = hash_text(s.at, s.len);
    str_release(&s);
    return key;
}

static const struct code *take_from_cache(struct loader *l)
{
    int fd = cache_fetch(l->key);
    char path[64];
    if (fd < 0) return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    l->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(fd);
    return l->library ? dlsym(l->library, "heddle_model") : NULL;
}

static bool is_worth_compiling(const struct loader *l, u32 calls)
{
    double late = l->start_compiler_at ? seconds_now() - l->start_compiler_at : -1;
    return late >= (calls >= MANY_CALLS ? 0 : LONG_PATIENCE - PATIENCE);
}

bool loader_poll(struct loader *l, u32 calls)
{
    if (is_worth_compiling(l, calls)) start_compiler(l);
    return l->compiling && process_ended(&l->compiler) && take_over(l);
}

static const struct code *compile_now(struct loader *l, const struct limits *limits)
{
    start_compiler(l);
    if (!l->compiling) return NULL;
    while (!process_wait(&l->compiler, 50))
        if (limits_reached(limits)) return NULL;
    return take_over(l) ? l->code : NULL;
}

struct loader *loader_new(const char *c_text, bool has_c_code, struct loading how, const struct limits *limits,
                          const char **error, struct arena *arena)
{
    struct loader *l = xcalloc(1, sizeof *l);
    struct str message = {0};
    l->text = xstrdup(c_text);
    if (how.background && how.cache && !has_c_code) l->key = cache_key(c_text);
    if (l->key) l->code = take_from_cache(l);
    if (l->code) return l;
    if (l->library) dlclose(l->library);
    l->library = NULL;
    l->code = compile_in_memory(l, &message);
    if (l->code && how.background && !has_c_code) l->start_compiler_at = seconds_now() + PATIENCE;
    /* C code of the user's may have static variables: it must never change functions in the middle of a run */
    if (!l->code && (has_c_code || how.background)) l->code = compile_now(l, limits);
    if (!l->code) {
        *error = arena_printf(arena, "the C code of the model does not compile: %s", str_get(&message));
        if (limits_reached(limits)) *error = "stopped while the C code of the model was compiled";
        loader_free(l);
        l = NULL;
    }
    str_release(&message);
    return l;
}

const struct code *loader_code(struct loader *l)
{
    assert(l->code);
    return l->code;
}

void loader_free(struct loader *l)
{
    stop_compiler(l);
    if (l->library) dlclose(l->library);
    if (l->tcc) tcc_delete(l->tcc);
    free(l->text);
    free(l->key);
    free(l);
}
