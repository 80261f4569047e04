/* Functions of string.h: what they read and write of the program's memory. One row each: result, name, parameters,
 * arguments, and what is accessed (R and W of an address and a length). The program's calls of them are redirected
 * at link time (--wrap), the runtime's own are not. */
#ifndef HEDDLE_STRINGS_H
#define HEDDLE_STRINGS_H

#define STRING_CALLS(X) \
    X(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n), R(from, n) W(to, n)) \
    X(void *, memmove, (void *to, const void *from, size_t n), (to, from, n), R(from, n) W(to, n)) \
    X(void *, mempcpy, (void *to, const void *from, size_t n), (to, from, n), R(from, n) W(to, n)) \
    X(void *, memset, (void *to, int c, size_t n), (to, c, n), W(to, n)) \
    X(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n), R(a, n) R(b, n)) \
    X(void *, memchr, (const void *a, int c, size_t n), (a, c, n), R(a, n)) \
    X(void, bzero, (void *to, size_t n), (to, n), W(to, n)) \
    X(size_t, strlen, (const char *s), (s), R(s, SIZE(s))) \
    X(size_t, strnlen, (const char *s, size_t n), (s, n), R(s, PART(s, n))) \
    X(char *, strcpy, (char *to, const char *s), (to, s), R(s, SIZE(s)) W(to, SIZE(s))) \
    X(char *, stpcpy, (char *to, const char *s), (to, s), R(s, SIZE(s)) W(to, SIZE(s))) \
    X(char *, strncpy, (char *to, const char *s, size_t n), (to, s, n), R(s, PART(s, n)) W(to, n)) \
    X(char *, strcat, (char *to, const char *s), (to, s), R(to, SIZE(to)) R(s, SIZE(s)) W(to + SIZE(to) - 1, SIZE(s))) \
    X(char *, strncat, (char *to, const char *s, size_t n), (to, s, n), \
      R(to, SIZE(to)) R(s, PART(s, n)) W(to + SIZE(to) - 1, PART(s, n) + 1)) \
    X(int, strcmp, (const char *a, const char *b), (a, b), R(a, SAME(a, b)) R(b, SAME(a, b))) \
    X(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n), R(a, PART(a, n)) R(b, PART(b, n))) \
    X(int, strcasecmp, (const char *a, const char *b), (a, b), R(a, SIZE(a)) R(b, SIZE(b))) \
    X(char *, strchr, (const char *s, int c), (s, c), R(s, SIZE(s))) \
    X(char *, strrchr, (const char *s, int c), (s, c), R(s, SIZE(s))) \
    X(char *, strstr, (const char *a, const char *b), (a, b), R(a, SIZE(a)) R(b, SIZE(b))) \
    X(size_t, strspn, (const char *a, const char *b), (a, b), R(a, SIZE(a)) R(b, SIZE(b))) \
    X(size_t, strcspn, (const char *a, const char *b), (a, b), R(a, SIZE(a)) R(b, SIZE(b))) \
    X(char *, strdup, (const char *s), (s), R(s, SIZE(s))) \
    X(char *, strndup, (const char *s, size_t n), (s, n), R(s, PART(s, n)))

#endif
