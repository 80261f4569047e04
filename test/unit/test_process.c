/* Other programs, temporary directories, and what is left of them when a process ends in each of the possible ways. */
#define _GNU_SOURCE
#include "base/compiler.h"
#include "base/process.h"
#include "base/tempdir.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static struct process shell(const char *script)
{
    struct process p = {.own_group = true};
    words_add(&p.words, "sh");
    words_add(&p.words, "-c");
    words_add(&p.words, script);
    return p;
}

static int run_shell(const char *script)
{
    struct process p = shell(script);
    int status = process_run(&p, NULL);
    process_release(&p);
    return status;
}

static void statuses(void **state)
{
    (void)state;
    assert_int_equal(run_shell("exit 0"), 0);
    assert_int_equal(run_shell("exit 3"), 3);
    assert_int_equal(run_shell("kill -9 $$"), 128 + 9);
    struct process p = {0};
    words_add(&p.words, "/nowhere/no-such-program");
    assert_int_equal(process_run(&p, NULL), PROCESS_NOT_STARTED);
    process_release(&p);
}

static void set_variable(void *context) { setenv(context, "child", 1); }

static void streams_and_environment(void **state)
{
    (void)state;
    for (int forked = 0; forked < 2; forked++) {
        char text[100] = "";
        struct process p = shell("cat; echo $HEDDLE_A; echo err >&2");
        p.in = nameless_file("in");
        p.out = p.err = nameless_file("out");
        if (forked) p.in_child = set_variable, p.context = "HEDDLE_UNUSED";
        assert_int_equal(write(p.in, "in\n", 3), 3);
        lseek(p.in, 0, SEEK_SET);
        words_add(&p.environment, "HEDDLE_A=a value");
        assert_int_equal(process_run(&p, NULL), 0);
        assert_true(pread(p.out, text, sizeof text - 1, 0) > 0);
        assert_string_equal(text, "in\na value\nerr\n");
        close(p.in);
        close(p.out);
        process_release(&p);
    }
}

static void deadline(void **state)
{
    (void)state;
    struct process p = shell("sleep 1000");
    struct limits limits = limits_start(0.2, 0);
    assert_int_equal(process_run(&p, &limits), PROCESS_STOPPED);
    assert_true(seconds_now() - limits.started < 100);
    assert_int_equal(p.pid, 0);
    process_release(&p);
}

/* What a process started in the background ends with it. */
static void group_ends(void **state)
{
    (void)state;
    char number[20] = "";
    struct process p = shell("sleep 1000 & echo $!");
    p.out = nameless_file("out");
    assert_int_equal(process_run(&p, NULL), 0);
    assert_true(pread(p.out, number, sizeof number - 1, 0) > 0);
    for (int i = 0; i < 1000 && kill(atoi(number), 0) == 0; i++) usleep(10000); /* until init has seen it */
    struct stat now;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", atoi(number)); /* a zombie has none */
    assert_true(kill(atoi(number), 0) || lstat(path, &now) || readlink(path, number, sizeof number) < 0);
    close(p.out);
    process_release(&p);
}

static void words(void **state)
{
    (void)state;
    struct words w = {0};
    words_split(&w, " a 'b c'\t\"d\"e '' ");
    assert_int_equal(w.len, 4);
    assert_string_equal(w.at[1], "b c");
    assert_string_equal(w.at[2], "de");
    assert_string_equal(w.at[3], "");
    words_release(&w);
}

static void compilers(void **state)
{
    (void)state;
    setenv("CC", "some cc", 1);
    assert_string_equal(compiler_choose(LANGUAGE_C, "mine"), "mine");
    assert_string_equal(compiler_choose(LANGUAGE_C, ""), "some cc");
    assert_string_equal(compiler_choose(LANGUAGE_C, NULL), "some cc");
    setenv("CC", "/opt/bin/heddle cc", 1);
    assert_string_equal(compiler_choose(LANGUAGE_C, NULL), "cc");
    setenv("CC", "/opt/heddle-tools/gcc", 1);
    assert_string_equal(compiler_choose(LANGUAGE_C, NULL), "/opt/heddle-tools/gcc");
    unsetenv("CC");
    unsetenv("CXX");
    assert_string_equal(compiler_choose(LANGUAGE_C, NULL), "cc");
    assert_string_equal(compiler_choose(LANGUAGE_CXX, NULL), "c++");
    assert_true(compiler_is_clang("ccache clang-14 -O2"));
    assert_false(compiler_is_clang("gcc -fno-clang"));
}

/* The ways to end. */
static void by_exit(void) { exit(0); }
static void by_die(void) { die("on purpose"); }
static void by_bug(void) { BUG("on purpose"); }
static void by_assertion(void) { abort(); }
static void by_crash(void) { raise(SIGSEGV); }
static void by_sigterm(void) { raise(SIGTERM); }
static void by_sigpipe(void) { raise(SIGPIPE); }
static void by_second_sigint(void)
{
    limits_catch_signals();
    raise(SIGINT);
    sleep(3); /* a second signal within a second is taken for the same wish */
    raise(SIGINT);
}
static int overflow(volatile char *outer, unsigned depth)
{
    volatile char mine[4096];
    mine[0] = outer ? outer[0] : 1;
    return depth ? overflow(mine, depth - 1) + mine[0] : mine[0];
}
static void by_overflow(void)
{
    setrlimit(RLIMIT_STACK, &(struct rlimit){1 << 20, 1 << 20});
    exit(overflow(NULL, 1u << 30));
}

static const struct { const char *name; void (*end)(void); } ways[] = {
    {"exit", by_exit}, {"die", by_die}, {"bug", by_bug}, {"assertion", by_assertion}, {"crash", by_crash},
    {"sigterm", by_sigterm}, {"sigpipe", by_sigpipe}, {"second sigint", by_second_sigint},
    {"stack overflow", by_overflow},
};

/* A sanitizer has a stack of its own for this, with its own handler. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { WAYS = ARRAY_LEN(ways) - 1 };
#else
enum { WAYS = ARRAY_LEN(ways) };
#endif

/* A directory with a directory with files, and a process that goes on writing there. */
static void leave_things(void (*end)(void))
{
    struct tempdir d = {0};
    tempdir_require(&d);
    struct process p = shell("mkdir sub; cd sub; touch a; ln -s / root; while :; do echo >$$; sleep 0.01; done");
    char *file = tempdir_file(&d, "file");
    close(open(file, O_CREAT | O_WRONLY, 0600));
    if (chdir(d.path) || process_start(&p)) _exit(99);
    while (access("sub/root", F_OK)) usleep(1000);
    if (chdir("/")) _exit(99);
    end();
    _exit(98);
}

static size_t entries(const char *path)
{
    size_t n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void every_way_out(void **state)
{
    (void)state;
    char place[] = "/tmp/heddle-test-XXXXXX";
    assert_non_null(mkdtemp(place));
    for (size_t i = 0; i < WAYS; i++) {
        int status;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            static const int own[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
            for (size_t k = 0; k < ARRAY_LEN(own); k++) signal(own[k], SIG_DFL); /* cmocka's, or a sanitizer's */
            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
            setenv("TMPDIR", place, 1);
            dup2(open("/dev/null", O_WRONLY), 2);
            leave_things(ways[i].end);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (entries(place)) fail_msg("%s leaves something behind", ways[i].name);
        if (WIFEXITED(status) && WEXITSTATUS(status) >= 98) fail_msg("%s: %d", ways[i].name, WEXITSTATUS(status));
        if (strcmp(ways[i].name, "exit") && strcmp(ways[i].name, "die") && !WIFSIGNALED(status))
            fail_msg("%s is no signal any more", ways[i].name);
    }
    rmdir(place);
}

static void bad_tmpdir(void **state)
{
    (void)state;
    struct tempdir d = {0};
    setenv("TMPDIR", "/dev/full", 1);
    assert_int_equal(tempdir_make(&d), -1);
    setenv("TMPDIR", "/nowhere", 1);
    assert_int_equal(tempdir_make(&d), -1);
    assert_null(d.path);
    unsetenv("TMPDIR");
    tempdir_remove(&d);
}

/* Hashes in traces on disk must stay what they are. */
static void hashes(void **state)
{
    (void)state;
    char *a = hash_text("abc", 3), *b = hash_text("abd", 3);
    assert_int_equal(strlen(a), 32);
    assert_string_not_equal(a, b);
    assert_string_equal(a, "06b05ab6733a618578af5f94892f3950"); /* XXH3-128 of "abc", by xxhsum -H128 */
    assert_null(hash_file("/nowhere"));
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses), cmocka_unit_test(streams_and_environment), cmocka_unit_test(deadline),
        cmocka_unit_test(group_ends), cmocka_unit_test(words), cmocka_unit_test(compilers),
        cmocka_unit_test(every_way_out), cmocka_unit_test(bad_tmpdir), cmocka_unit_test(hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
