/* Failure, allocation and small helpers; arenas, maps and strings have their own files. */
#define _GNU_SOURCE
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void bug_at(const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "heddle: internal error at %s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    fprintf(stderr, "\nThis is a bug in heddle; please report it with the input that caused it.\n");
    va_end(ap);
    abort();
}

void die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "heddle: error: ");
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(EXIT_BAD_INPUT);
}

void *xmalloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p) die("out of memory (%zu bytes)", size);
    return p;
}

void *xcalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) die("out of memory (%zu bytes)", count * size);
    return p;
}

void *xrealloc(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);
    if (!p) die("out of memory (%zu bytes)", size);
    return p;
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}

void *vec_grow(void *at, size_t *cap, size_t need, size_t item)
{
    assert(item && need > *cap && !at == !*cap && *cap <= SIZE_MAX / 2 / item);
    size_t n = *cap ? *cap : 8;
    if (need > SIZE_MAX / 2 / item) die("out of memory (%zu items of %zu bytes)", need, item);
    while (n < need) n *= 2;
    *cap = n;
    return xrealloc(at, n * item);
}

void free_null(void **p)
{
    free(*p);
    *p = NULL;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed) { return XXH3_64bits_withSeed(p, n, seed); }

struct hash128 hash_bytes128(const void *p, size_t n)
{
    XXH128_hash_t h = XXH3_128bits(p, n);
    return (struct hash128){h.low64, h.high64};
}

char *hash_text(const void *p, size_t n)
{
    struct hash128 h = hash_bytes128(p, n);
    struct str s = {0};
    str_printf(&s, "%016llx%016llx", (unsigned long long)h.hi, (unsigned long long)h.lo);
    return s.at;
}

char *hash_file(const char *path)
{
    size_t len;
    char *text = read_file(path, &len);
    char *hash = text ? hash_text(text, len) : NULL;
    free(text);
    return hash;
}

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

char *read_file(const char *path, size_t *len) { return read_file_most(path, len, SIZE_MAX); }

char *read_file_most(const char *path, size_t *len, size_t most)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    struct str s = {0};
    char buf[65536];
    size_t n;
    while (s.len <= most && (n = fread(buf, 1, sizeof buf, f)) > 0) str_addn(&s, buf, n);
    int failed = ferror(f) ? errno : s.len > most ? EFBIG : 0;
    fclose(f);
    if (failed) {
        str_release(&s);
        errno = failed;
        return NULL;
    }
    if (len) *len = s.len;
    return s.at ? s.at : xstrdup("");
}

char *read_beginning(const char *path, size_t *len, size_t most)
{
    char *text = xcalloc(1, most + 1);
    FILE *f = fopen(path, "r");
    *len = f ? fread(text, 1, most, f) : 0;
    if (f) fclose(f);
    return text;
}

int file_finish(FILE *f, const char *path)
{
    struct stat now;
    int failed = !ferror(f) ? 0 : errno ? errno : EIO;
    if (fclose(f)) failed = errno;
    if (!failed) return 0;
    if (stat(path, &now) == 0 && S_ISREG(now.st_mode)) unlink(path); /* /dev/stdout is left alone */
    errno = failed;
    return -1;
}

char *program_file(const char *const *places, size_t n)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len < 0) return NULL;
    self[len] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < n; i++) {
        struct str path = {0};
        str_printf(&path, "%s/%s", self, places[i]);
        if (access(path.at, R_OK) == 0) return path.at;
        str_release(&path);
    }
    return NULL;
}

const char *path_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t memory_resident(void)
{
    long pages = 0, ignored;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%ld %ld", &ignored, &pages) != 2) pages = 0;
    fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

char *with_commas(char buf[32], uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), o = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) buf[o++] = ',';
        buf[o++] = digits[i];
    }
    assert(o < 32);
    buf[o] = 0;
    return buf;
}

char *counted(char buf[64], uint64_t n, const char *noun)
{
    assert(strlen(noun) <= 32);
    with_commas(buf, n);
    snprintf(buf + strlen(buf), 64 - strlen(buf), " %s%s", noun, n == 1 ? "" : "s");
    return buf;
}

static size_t edit_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    size_t row[65];
    if (la > 64 || lb > 64) return 64;
    for (size_t j = 0; j <= lb; j++) row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = MIN(replace, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[lb];
}

const char *nearest_name(const char *name, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    size_t limit = strlen(name) < 4 ? 1 : 2, best_distance = limit + 1;
    for (size_t i = 0; i < n; i++) {
        size_t d = edit_distance(name, candidates[i]);
        if (d && d < best_distance) best = candidates[i], best_distance = d;
    }
    return best;
}
