/* C text -> functions. libtcc compiles in memory within milliseconds; if the run lasts, `cc -O2` compiles the same text
 * in the background, and its functions take over between two states. Without a C compiler libtcc alone does. */
#define _GNU_SOURCE
#include "model/internal.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libtcc.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct loader {
    TCCState *tcc;
    void *library;              /* from cc */
    const struct code *code;
    char *text;
    char directory[64];         /* of the background compilation */
    pid_t compiler;
    double start_compiler_at;   /* 0: not wanted, or already started */
};

static const double PATIENCE = 0.15; /* seconds a run must last before the better compiler is worth its time */

static void ignore_message(void *opaque, const char *message)
{
    struct str *s = opaque;
    if (!s->len) str_add(s, message);
}

/* When libtcc refuses the text the C compiler may still take it (C code with headers that libtcc cannot read). */
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

static bool write_source(struct loader *l, char *source, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(l->directory, sizeof l->directory, "%s/heddle-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    if (!mkdtemp(l->directory)) {
        l->directory[0] = 0;
        return false;
    }
    snprintf(source, size, "%s/model.c", l->directory);
    FILE *f = fopen(source, "w");
    if (!f) return false;
    fputs(l->text, f);
    return fclose(f) == 0;
}

/* In a process group of its own, so that what it starts ends with it. Not by fork(): the parent may have gigabytes of
 * states, and would pay for each page of them that it writes to afterwards. */
static pid_t spawn_quietly(char **command)
{
    pid_t child = 0;
    posix_spawn_file_actions_t quiet;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&quiet);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&quiet, 1, 2);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    if (posix_spawnp(&child, command[0], &quiet, &attributes, command, environ)) child = 0;
    posix_spawn_file_actions_destroy(&quiet);
    posix_spawnattr_destroy(&attributes);
    return child;
}

static void start_compiler(struct loader *l)
{
    char source[96], target[96];
    l->start_compiler_at = 0;
    if (!write_source(l, source, sizeof source)) return;
    snprintf(target, sizeof target, "%s/model.so", l->directory);
    char *command[] = {"cc", "-O2", "-shared", "-fPIC", "-w", "-fwrapv", "-fno-strict-aliasing", "-o", target, source, NULL};
    l->compiler = spawn_quietly(command);
}

static void remove_files(struct loader *l)
{
    char path[96];
    if (!l->directory[0]) return;
    snprintf(path, sizeof path, "%s/model.c", l->directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/model.so", l->directory);
    unlink(path);
    rmdir(l->directory);
    l->directory[0] = 0;
}

static bool take_over(struct loader *l)
{
    char target[96];
    snprintf(target, sizeof target, "%s/model.so", l->directory);
    l->library = dlopen(target, RTLD_NOW | RTLD_LOCAL);
    const struct code *code = l->library ? dlsym(l->library, "heddle_model") : NULL;
    remove_files(l);
    if (code) l->code = code;
    return code != NULL;
}

bool loader_poll(struct loader *l)
{
    if (l->start_compiler_at && seconds_now() >= l->start_compiler_at) start_compiler(l);
    if (!l->compiler) return false;
    int status;
    if (waitpid(l->compiler, &status, WNOHANG) != l->compiler) return false;
    l->compiler = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return take_over(l);
    remove_files(l);
    return false;
}

static const struct code *compile_now(struct loader *l)
{
    start_compiler(l);
    if (!l->compiler) return NULL;
    int status;
    waitpid(l->compiler, &status, 0);
    l->compiler = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && take_over(l)) return l->code;
    return NULL;
}

struct loader *loader_new(const char *c_text, bool has_c_code, bool background, const char **error, struct arena *arena)
{
    struct loader *l = xcalloc(1, sizeof *l);
    struct str message = {0};
    l->text = xstrdup(c_text);
    l->code = compile_in_memory(l, &message);
    if (l->code && background && !has_c_code) l->start_compiler_at = seconds_now() + PATIENCE;
    /* C code of the user's may have static variables: it must never change functions in the middle of a run */
    if (!l->code && has_c_code) l->code = compile_now(l);
    if (!l->code) {
        *error = arena_printf(arena, "the C code of the model does not compile: %s", str_get(&message));
        loader_free(l);
        l = NULL;
    }
    str_release(&message);
    return l;
}

const struct code *loader_code(struct loader *l) { return l->code; }

void loader_free(struct loader *l)
{
    if (l->compiler) {
        kill(-l->compiler, SIGKILL);
        kill(l->compiler, SIGKILL);
        waitpid(l->compiler, NULL, 0);
    }
    remove_files(l);
    if (l->library) dlclose(l->library);
    if (l->tcc) tcc_delete(l->tcc);
    free(l->text);
    free(l);
}
