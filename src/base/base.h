/* The bottom of the tree: memory by lifetime, growing arrays, strings, hashing and the ways to fail.
 *
 * Four ways to fail (see CONTRIBUTING.md): BUG() is our mistake and aborts; die() is the user's and exits with 2;
 * a library returns -1 or NULL and lets its caller decide; a full table is a verdict and not a failure.
 * Everything allocated from an arena lives until arena_release(). */
#ifndef HEDDLE_BASE_H
#define HEDDLE_BASE_H

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

enum exit_status { EXIT_OK = 0, EXIT_ERROR_FOUND = 1, EXIT_BAD_INPUT = 2, EXIT_UNKNOWN = 3 };

/* Invariants that cost more than a few comparisons are looked at in builds with sanitizers only; all others always. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
enum { CHECKS_EVERYTHING = 1 };
#else
enum { CHECKS_EVERYTHING = 0 };
#endif
#define assert_costly(condition) assert(!CHECKS_EVERYTHING || (condition))

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
void bug_at(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4) __attribute__((noreturn));
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);

struct arena_block;
struct arena { struct arena_block *head; };
void *arena_alloc(struct arena *a, size_t size); /* zeroed, 16-byte aligned */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
void arena_release(struct arena *a);

/* A growing array: VEC(int) v = {0}; vec_push(&v, 3); v.at[0], v.len; vec_release(&v). */
#define VEC(type) struct { type *at; size_t len, cap; }
#define vec_reserve(v, n) ((void)((v)->cap >= (n) || ((v)->at = vec_grow((v)->at, &(v)->cap, (n), sizeof *(v)->at), 0)))
#define vec_push(v, x) (vec_reserve(v, (v)->len + 1), (v)->at[(v)->len++] = (x))
#define vec_pop(v) (assert((v)->len), (v)->at[--(v)->len])
#define vec_last(v) ((v)->at[vec_last_index((v)->len)])
#define vec_clear(v) ((v)->len = 0)
#define vec_release(v) (free_null((void **)&(v)->at), (v)->len = (v)->cap = 0)
static inline size_t vec_last_index(size_t len)
{
    assert(len);
    return len - 1;
}
void *vec_grow(void *at, size_t *cap, size_t need, size_t item);
void free_null(void **p);

/* A growing string, always terminated once something was added. */
struct str { char *at; size_t len, cap; };
void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const char *text, size_t n);
void str_addc(struct str *s, char c);
void str_printf(struct str *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void str_vprintf(struct str *s, const char *fmt, va_list ap);
void str_add_shell(struct str *s, const char *path); /* as a shell takes it for the name of one file */
void str_add_shell_word(struct str *s, const char *word);
void str_add_visible(struct str *s, const char *text); /* one line: control characters but tabs are written as in C */
void str_add_utf8(struct str *s, const char *text); /* bytes that are not UTF-8 become U+FFFD */
void str_add_xml(struct str *s, const char *text);  /* as text or attribute of XML or HTML, whatever the bytes are */
size_t utf8_length(const char *p); /* of the character at p; 0: it is none (too long, a surrogate, or too large) */
const char *str_get(const struct str *s); /* never NULL */
void str_release(struct str *s);

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
struct hash128 { uint64_t lo, hi; };
struct hash128 hash_bytes128(const void *p, size_t n);
/* What identifies an input in a trace: a hash in 32 hexadecimal digits (heap); of a file: NULL if it cannot be read. */
char *hash_text(const void *p, size_t n);
char *hash_file(const char *path);

/* A name -> pointer map that keeps no copies of its keys. */
struct map { struct map_entry *slots; size_t cap, len; };
struct map_entry { const char *key; void *value; };
void *map_get(const struct map *m, const char *key);
void map_put(struct map *m, const char *key, void *value);
void map_release(struct map *m);

/* The candidate nearest to name by edit distance, or NULL if none is near enough to be a likely typing error. */
const char *nearest_name(const char *name, const char *const *candidates, size_t n);

double seconds_now(void);                   /* monotonic */
char *read_file(const char *path, size_t *len); /* NULL with errno on failure; terminated, caller frees */
char *read_file_most(const char *path, size_t *len, size_t most); /* EFBIG: it has more bytes, or no end */
char *read_beginning(const char *path, size_t *len, size_t most); /* empty if it cannot be read; terminated */
/* Closes what was opened for writing: 0, or -1 with errno if not all of it arrived; half a file is then removed. */
int file_finish(FILE *f, const char *path);
const char *path_basename(const char *path);
/* The first of these that can be read (heap), named from where the program is: beside it in the build tree, or in
 * lib/heddle of the place it was installed to. */
char *program_file(const char *const *places, size_t n);
size_t memory_resident(void); /* bytes of this process now in memory */
/* 1234567 -> "1,234,567"; the buffer is the caller's and holds 32 bytes */
char *with_commas(char buf[32], uint64_t n);
/* "1 state", "1,234 states": for nouns whose plural has an s, of up to 32 letters */
char *counted(char buf[64], uint64_t n, const char *noun);

#endif
