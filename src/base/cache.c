#define _GNU_SOURCE
#include "base/cache.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEY_LENGTH = 32, FORGOTTEN_SECONDS = 3600, LONGEST_FILE = 1 << 25 };
#define MAGIC "heddle cache 1\n"
#define UNFINISHED ".new-"

struct head {
    char magic[16], key[KEY_LENGTH];
    uint64_t length;
    struct hash128 sum;
};

char *cache_directory(void)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct str s = {0};
    if (xdg && *xdg == '/') str_printf(&s, "%s/heddle", xdg); /* a relative one is to be ignored */
    else if (home && *home == '/') str_printf(&s, "%s/.cache/heddle", home);
    return s.at;
}

/* Ours, and nobody else may write to it. */
static bool is_ours(const struct stat *st) { return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH)); }

static void make_directories(char *path)
{
    for (char *p = path + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        mkdir(path, 0700);
    }
    mkdir(path, 0700);
}

/* A descriptor, -1: there is none that will do. */
static int open_directory(bool make)
{
    char *path = cache_directory();
    struct stat st;
    if (!path) return -1;
    if (make) make_directories(path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    free(path);
    if (fd >= 0 && !fstat(fd, &st) && is_ours(&st)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static bool read_all(int fd, void *to, size_t n)
{
    for (uint8_t *at = to; n;) {
        ssize_t got = read(fd, at, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t n)
{
    for (const uint8_t *at = from; n;) {
        ssize_t put = write(fd, at, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        n -= (size_t)put;
    }
    return true;
}

static bool is_sum_of(const struct hash128 *sum, const void *bytes, size_t n)
{
    struct hash128 now = hash_bytes128(bytes, n);
    return now.lo == sum->lo && now.hi == sum->hi;
}

/* ---- reading ---- */

/* What the file has behind its head, if all of it is as it was written (heap); else NULL. */
static uint8_t *read_checked(int fd, const char *key, size_t *length)
{
    struct stat st;
    struct head h;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_ours(&st)) return NULL;
    if (st.st_size < (off_t)sizeof h || st.st_size > LONGEST_FILE || !read_all(fd, &h, sizeof h)) return NULL;
    if (memcmp(h.magic, MAGIC, sizeof h.magic) || memcmp(h.key, key, KEY_LENGTH)) return NULL;
    if (h.length != (uint64_t)st.st_size - sizeof h) return NULL;
    uint8_t *bytes = xmalloc(h.length + 1);
    *length = h.length;
    if (read_all(fd, bytes, h.length) && is_sum_of(&h.sum, bytes, h.length)) return bytes;
    free(bytes);
    return NULL;
}

static int in_memory(const uint8_t *bytes, size_t length)
{
    int fd = memfd_create("heddle-cache", MFD_CLOEXEC);
    if (fd >= 0 && write_all(fd, bytes, length)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

int cache_fetch(const char *key)
{
    assert(strlen(key) == KEY_LENGTH);
    int directory = open_directory(false), copy = -1;
    if (directory < 0) return -1;
    int fd = openat(directory, key, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    size_t length = 0;
    uint8_t *bytes = fd >= 0 ? read_checked(fd, key, &length) : NULL;
    if (bytes) {
        copy = in_memory(bytes, length);
        futimens(fd, NULL); /* it was of use */
    } else if (fd >= 0) unlinkat(directory, key, 0); /* in the way of a better one */
    free(bytes);
    if (fd >= 0) close(fd);
    close(directory);
    return copy;
}

/* ---- writing ---- */

struct kept { char name[KEY_LENGTH + 1]; uint64_t bytes; struct timespec used; };
typedef VEC(struct kept) kept_list;

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct kept *)a)->used, *y = &((const struct kept *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* What somebody began to write, and was killed. */
static bool is_forgotten(const char *name, const struct stat *st)
{
    return !strncmp(name, UNFINISHED, strlen(UNFINISHED)) && time(NULL) - st->st_mtime > FORGOTTEN_SECONDS;
}

static void list_kept(int directory, kept_list *out)
{
    int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = again >= 0 ? fdopendir(again) : NULL;
    if (!d && again >= 0) close(again);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        struct kept k = {.name = ""};
        if (fstatat(directory, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)) continue;
        if (is_forgotten(e->d_name, &st)) unlinkat(directory, e->d_name, 0);
        if (strlen(e->d_name) != KEY_LENGTH) continue;
        memcpy(k.name, e->d_name, KEY_LENGTH);
        k.bytes = (uint64_t)st.st_size;
        k.used = st.st_mtim;
        vec_push(out, k);
    }
    if (d) closedir(d);
}

static void trim(int directory)
{
    kept_list all = {0};
    uint64_t bytes = 0;
    list_kept(directory, &all);
    for (size_t i = 0; i < all.len; i++) bytes += all.at[i].bytes;
    if (all.len) qsort(all.at, all.len, sizeof *all.at, by_use);
    for (size_t i = 0; i < all.len && bytes > CACHE_BYTES; i++) {
        unlinkat(directory, all.at[i].name, 0);
        bytes -= all.at[i].bytes;
    }
    vec_release(&all);
}

static bool write_file(int fd, const char *key, const uint8_t *bytes, size_t length)
{
    struct head h = {.magic = MAGIC, .length = length, .sum = hash_bytes128(bytes, length)};
    memcpy(h.key, key, KEY_LENGTH);
    return write_all(fd, &h, sizeof h) && write_all(fd, bytes, length);
}

static void write_entry(int directory, const char *key, const uint8_t *bytes, size_t length)
{
    char name[80];
    snprintf(name, sizeof name, UNFINISHED "%ld-%s", (long)getpid(), key);
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return;
    bool ok = write_file(fd, key, bytes, length);
    ok = close(fd) == 0 && ok;
    if (!ok || renameat(directory, name, directory, key)) unlinkat(directory, name, 0);
    else trim(directory);
}

void cache_keep(const char *key, const char *path)
{
    assert(strlen(key) == KEY_LENGTH);
    struct stat st;
    int from = open(path, O_RDONLY | O_CLOEXEC), directory = -1;
    bool fits = from >= 0 && !fstat(from, &st) && S_ISREG(st.st_mode) && st.st_size < LONGEST_FILE / 2;
    uint8_t *bytes = fits ? xmalloc((size_t)st.st_size + 1) : NULL;
    if (bytes && read_all(from, bytes, (size_t)st.st_size)) directory = open_directory(true);
    if (directory >= 0) {
        write_entry(directory, key, bytes, (size_t)st.st_size);
        close(directory);
    }
    free(bytes);
    if (from >= 0) close(from);
}
