/* Files kept for later runs (src/base/cache.c): what was kept comes back, and nothing else does, whatever is in
 * the directory. */
#define _GNU_SOURCE
#include "base/cache.h"
#include "base/tempdir.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char key[] = "00112233445566778899aabbccddeeff", other[] = "ffeeddccbbaa99887766554433221100";
static const char text[] = "compiled code, or so";

struct place { struct tempdir tmp; char *root, *entry, *source; };

static char *join(const char *a, const char *b)
{
    struct str s = {0};
    str_printf(&s, "%s/%s", a, b);
    return s.at;
}

static void write_file(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static struct place begin(void)
{
    struct place p = {{0}};
    tempdir_require(&p.tmp);
    setenv("XDG_CACHE_HOME", p.tmp.path, 1);
    p.root = cache_directory();
    p.entry = join(p.root, key);
    p.source = tempdir_file(&p.tmp, "source");
    write_file(p.source, text, sizeof text);
    return p;
}

static void end(struct place *p)
{
    tempdir_remove(&p->tmp);
    free(p->root);
    free(p->entry);
    free(p->source);
}

/* Is what comes back what was kept? Something else must never come back. */
static bool comes_back(const char *which)
{
    char bytes[sizeof text + 1];
    int fd = cache_fetch(which);
    if (fd < 0) return false;
    assert_int_equal(pread(fd, bytes, sizeof bytes, 0), sizeof text);
    assert_memory_equal(bytes, text, sizeof text);
    close(fd);
    return true;
}

static void keeps(void **unused)
{
    (void)unused;
    struct place p = begin();
    struct stat st;
    assert_false(comes_back(key));
    assert_int_equal(access(p.root, F_OK), -1); /* asking leaves nothing behind */
    cache_keep(key, p.source);
    assert_true(comes_back(key));
    assert_false(comes_back(other));
    assert_int_equal(stat(p.root, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(p.entry, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    cache_keep(key, p.source); /* again */
    assert_true(comes_back(key));
    cache_keep(other, "/nowhere/at/all");
    assert_false(comes_back(other));
    end(&p);
}

/* Every length but the right one, and every bit. */
static void refuses_damage(void **unused)
{
    (void)unused;
    struct place p = begin();
    char bytes[4096];
    cache_keep(key, p.source);
    int fd = open(p.entry, O_RDONLY);
    ssize_t n = read(fd, bytes, sizeof bytes);
    close(fd);
    assert_true(n > (ssize_t)sizeof text && n + 1 < (ssize_t)sizeof bytes);
    bytes[n] = 0;
    for (ssize_t len = 0; len <= n + 1; len++) {
        write_file(p.entry, bytes, (size_t)len);
        chmod(p.entry, 0600);
        assert_int_equal(comes_back(key), len == n);
        assert_int_equal(access(p.entry, F_OK), len == n ? 0 : -1); /* it is not in the way */
    }
    for (ssize_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        write_file(p.entry, bytes, (size_t)n);
        chmod(p.entry, 0600);
        assert_false(comes_back(key));
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    char *elsewhere = join(p.root, other); /* a good one under another name */
    write_file(elsewhere, bytes, (size_t)n);
    chmod(elsewhere, 0600);
    assert_false(comes_back(other));
    free(elsewhere);
    end(&p);
}

static void refuses_what_others_can_write(void **unused)
{
    (void)unused;
    struct place p = begin();
    cache_keep(key, p.source);
    static const mode_t bad[] = {0620, 0602, 0666};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        chmod(p.entry, bad[i]);
        assert_false(comes_back(key));
        cache_keep(key, p.source);
        assert_true(comes_back(key));
    }
    chmod(p.root, 0770);
    assert_false(comes_back(key));
    cache_keep(other, p.source);
    chmod(p.root, 0700);
    assert_true(comes_back(key));
    assert_false(comes_back(other)); /* nothing was written there meanwhile */
    if (geteuid() == 0) {
        assert_int_equal(chown(p.entry, 12345, 12345), 0);
        assert_false(comes_back(key));
        cache_keep(key, p.source);
        assert_int_equal(chown(p.root, 12345, 12345), 0);
        assert_false(comes_back(key));
    }
    end(&p);
}

static void refuses_other_things(void **unused)
{
    (void)unused;
    struct place p = begin();
    cache_keep(key, p.source);
    char *real = join(p.tmp.path, "real"), *moved = join(p.tmp.path, "moved");
    assert_int_equal(rename(p.entry, real), 0);
    assert_int_equal(symlink(real, p.entry), 0);
    assert_false(comes_back(key));
    unlink(p.entry);
    assert_int_equal(mkfifo(p.entry, 0600), 0);
    assert_false(comes_back(key)); /* and does not wait */
    unlink(p.entry);
    assert_int_equal(mkdir(p.entry, 0700), 0);
    assert_false(comes_back(key));
    cache_keep(key, p.source); /* cannot be: nothing happens */
    assert_false(comes_back(key));
    rmdir(p.entry);
    cache_keep(key, p.source);
    assert_int_equal(rename(p.root, moved), 0);
    assert_int_equal(symlink(moved, p.root), 0);
    assert_false(comes_back(key));
    free(real);
    free(moved);
    end(&p);
}

static void keeps_to_its_size(void **unused)
{
    (void)unused;
    struct place p = begin();
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}}, older[2] = {{.tv_sec = 500}, {.tv_sec = 500}};
    cache_keep(key, p.source);
    char *large = join(p.root, other), *forgotten = join(p.root, ".new-1-x"), *fresh = join(p.root, ".new-2-x");
    write_file(large, "", 0);
    assert_int_equal(truncate(large, CACHE_BYTES), 0);
    write_file(forgotten, "", 0);
    write_file(fresh, "", 0);
    utimensat(AT_FDCWD, large, old, 0);
    utimensat(AT_FDCWD, p.entry, older, 0);
    utimensat(AT_FDCWD, forgotten, old, 0);
    assert_true(comes_back(key)); /* which makes it the latest */
    cache_keep(key, p.source);
    assert_int_equal(access(large, F_OK), -1);
    assert_int_equal(access(forgotten, F_OK), -1);
    assert_int_equal(access(fresh, F_OK), 0); /* somebody writes it */
    assert_true(comes_back(key));
    free(large);
    free(forgotten);
    free(fresh);
    end(&p);
}

/* Writers and readers at once: what comes back is right, or nothing. */
static void many_at_once(void **unused)
{
    (void)unused;
    struct place p = begin();
    int status;
    for (int i = 0; i < 8; i++)
        if (!fork()) {
            for (int k = 0; k < 200; k++) {
                cache_keep(k % 2 ? key : other, p.source);
                comes_back(k % 3 ? key : other);
            }
            _exit(comes_back(key) && comes_back(other) ? 0 : 1);
        }
    for (int i = 0; i < 8; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    end(&p);
}

static void knows_its_place(void **unused)
{
    (void)unused;
    setenv("XDG_CACHE_HOME", "/somewhere", 1);
    setenv("HOME", "/elsewhere", 1);
    char *path = cache_directory();
    assert_string_equal(path, "/somewhere/heddle");
    free(path);
    setenv("XDG_CACHE_HOME", "relative", 1);
    path = cache_directory();
    assert_string_equal(path, "/elsewhere/.cache/heddle");
    free(path);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_null(cache_directory());
    assert_int_equal(cache_fetch(key), -1);
    cache_keep(key, "/dev/null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps), cmocka_unit_test(refuses_damage), cmocka_unit_test(refuses_what_others_can_write),
        cmocka_unit_test(refuses_other_things), cmocka_unit_test(keeps_to_its_size), cmocka_unit_test(many_at_once),
        cmocka_unit_test(knows_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
