/* Rows of the C library but for streams (calls_int.h says what the words mean). */
#ifndef HEDDLE_RUNTIME_CALLS_LIBC_INT_H
#define HEDDLE_RUNTIME_CALLS_LIBC_INT_H

#define LIBC_CALLS(F, P) \
    /* string.h: those that compilers know are in strings.h */ \
    F(void *, memccpy, (void *a, const void *b, int c, size_t d), (a, b, c, d), , \
      R(b, UPTO(b, c, d)) W(a, UPTO(b, c, d)), ) \
    F(void *, memrchr, (const void *a, int b, size_t c), (a, b, c), , R(a, c), ) \
    F(void *, rawmemchr, (const void *a, int b), (a, b), , R(a, UPTO(a, b, SIZE_MAX)), ) \
    F(void *, memmem, (const void *a, size_t b, const void *c, size_t d), (a, b, c, d), , R(a, b) R(c, d), ) \
    F(int, bcmp, (const void *a, const void *b, size_t c), (a, b, c), , R(a, c) R(b, c), ) \
    P(bcopy, (const void *a, void *b, size_t c), (a, b, c), , R(a, c) W(b, c), ) \
    P(explicit_bzero, (void *a, size_t b), (a, b), , W(a, b), ) \
    P(swab, (const void *a, void *b, long c), (a, b, c), , if (c > 0) { R(a, c & ~1l) W(b, c & ~1l) }, ) \
    F(int, strncasecmp, (const char *a, const char *b, size_t c), (a, b, c), , N(a, c) N(b, c), ) \
    F(char *, strcasestr, (const char *a, const char *b), (a, b), , S(a) S(b), ) \
    F(char *, strpbrk, (const char *a, const char *b), (a, b), , S(a) S(b), ) \
    F(char *, strchrnul, (const char *a, int b), (a, b), , S(a), ) \
    F(char *, index, (const char *a, int b), (a, b), , S(a), ) \
    F(char *, rindex, (const char *a, int b), (a, b), , S(a), ) \
    F(char *, stpncpy, (char *a, const char *b, size_t c), (a, b, c), , N(b, c) W(a, c), ) \
    F(char *, strsep, (char **a, const char *b), (a, b), , R(a, sizeof *a) S(b) S_IF(*a), \
      W(a, sizeof *a) if (r && *a) W(*a - 1, 1)) \
    F(char *, strtok, (char *a, const char *b), (a, b), OWNS(libc_strtok), S_IF(a) S(b), if (r) W(r + SIZE(r) - 1, 1)) \
    F(char *, strtok_r, (char *a, const char *b, char **c), (a, b, c), , S_IF(a) S(b) if (!a) R(c, sizeof *c), \
      W(c, sizeof *c) if (r) W(r + SIZE(r) - 1, 1)) \
    F(char *, __strtok_r, (char *a, const char *b, char **c), (a, b, c), , S_IF(a) S(b) if (!a) R(c, sizeof *c), \
      W(c, sizeof *c) if (r) W(r + SIZE(r) - 1, 1)) \
    F(int, strcoll, (const char *a, const char *b), (a, b), ASKS(libc_locale), S(a) S(b), ) \
    F(size_t, strxfrm, (char *a, const char *b, size_t c), (a, b, c), ASKS(libc_locale), S(b), \
      if (c) W(a, r < c ? r + 1 : c)) \
    F(int, strverscmp, (const char *a, const char *b), (a, b), , S(a) S(b), ) \
    F(char *, basename, (const char *a), (a), , S(a), ) \
    F(char *, __xpg_basename, (char *a), (a), , S_IF(a), if (a) WS(a)) \
    F(char *, dirname, (char *a), (a), , S_IF(a), if (a) WS(a)) \
    F(char *, strerror_r, (int a, char *b, size_t c), (a, b, c), , , if (r == b && c) WS(b)) \
    F(int, __xpg_strerror_r, (int a, char *b, size_t c), (a, b, c), , , if (c) WS(b)) \
    F(char *, __strdup, (const char *a), (a), , S(a), ) \
    F(char *, __strndup, (const char *a, size_t b), (a, b), , N(a, b), ) \
    F(void *, __rawmemchr, (const void *a, int b), (a, b), , R(a, UPTO(a, b, SIZE_MAX)), ) \
    F(char *, __stpcpy, (char *a, const char *b), (a, b), , S(b) W(a, SIZE(b)), ) \
    /* string.h with _FORTIFY_SOURCE */ \
    F(void *, __memcpy_chk, (void *a, const void *b, size_t c, size_t d), (a, b, c, d), , R(b, c) W(a, c), ) \
    F(void *, __memmove_chk, (void *a, const void *b, size_t c, size_t d), (a, b, c, d), , R(b, c) W(a, c), ) \
    F(void *, __mempcpy_chk, (void *a, const void *b, size_t c, size_t d), (a, b, c, d), , R(b, c) W(a, c), ) \
    F(void *, __memset_chk, (void *a, int b, size_t c, size_t d), (a, b, c, d), , W(a, c), ) \
    P(__explicit_bzero_chk, (void *a, size_t b, size_t c), (a, b, c), , W(a, b), ) \
    F(char *, __strcpy_chk, (char *a, const char *b, size_t c), (a, b, c), , S(b) W(a, SIZE(b)), ) \
    F(char *, __stpcpy_chk, (char *a, const char *b, size_t c), (a, b, c), , S(b) W(a, SIZE(b)), ) \
    F(char *, __strncpy_chk, (char *a, const char *b, size_t c, size_t d), (a, b, c, d), , N(b, c) W(a, c), ) \
    F(char *, __stpncpy_chk, (char *a, const char *b, size_t c, size_t d), (a, b, c, d), , N(b, c) W(a, c), ) \
    F(char *, __strcat_chk, (char *a, const char *b, size_t c), (a, b, c), , S(a) S(b) W(a + SIZE(a) - 1, SIZE(b)), ) \
    F(char *, __strncat_chk, (char *a, const char *b, size_t c, size_t d), (a, b, c, d), , \
      S(a) N(b, c) W(a + SIZE(a) - 1, PART(b, c) + 1), ) \
    /* signal.h: the part of a set that has signals */ \
    F(int, sigemptyset, (void *a), (a), , W(a, 8), ) \
    F(int, sigfillset, (void *a), (a), , W(a, 8), ) \
    F(int, sigaddset, (void *a, int b), (a, b), , R(a, 8) W(a, 8), ) \
    F(int, sigdelset, (void *a, int b), (a, b), , R(a, 8) W(a, 8), ) \
    F(int, sigismember, (const void *a, int b), (a, b), , R(a, 8), ) \
    F(int, sigisemptyset, (const void *a), (a), , R(a, 8), ) \
    F(int, sigandset, (void *a, const void *b, const void *c), (a, b, c), , R(b, 8) R(c, 8) W(a, 8), ) \
    F(int, sigorset, (void *a, const void *b, const void *c), (a, b, c), , R(b, 8) R(c, 8) W(a, 8), ) \
    /* numbers */ \
    F(int, atoi, (const char *a), (a), , R(a, number(a)), ) \
    F(long, atol, (const char *a), (a), , R(a, number(a)), ) \
    F(long, atoll, (const char *a), (a), , R(a, number(a)), ) \
    F(double, atof, (const char *a), (a), , R(a, number(a)), ) \
    F(long, strtol, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long, strtoll, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(unsigned long, strtoul, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(unsigned long, strtoull, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long, strtoimax, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(unsigned long, strtoumax, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long, strtoq, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(unsigned long, strtouq, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long, __isoc23_strtol, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long, __isoc23_strtoll, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(unsigned long, __isoc23_strtoul, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, __isoc23_strtoull, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(long, __isoc23_strtoimax, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(unsigned long, __isoc23_strtoumax, (const char *a, char **b, int c), (a, b, c), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(long, strtol_l, (const char *a, char **b, int c, void *d), (a, b, c, d), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long, __strtol_internal, (const char *a, char **b, int c, int d), (a, b, c, d), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(long, strtoll_l, (const char *a, char **b, int c, void *d), (a, b, c, d), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long, __strtoll_internal, (const char *a, char **b, int c, int d), (a, b, c, d), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, strtoul_l, (const char *a, char **b, int c, void *d), (a, b, c, d), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, __strtoul_internal, (const char *a, char **b, int c, int d), (a, b, c, d), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, strtoull_l, (const char *a, char **b, int c, void *d), (a, b, c, d), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, __strtoull_internal, (const char *a, char **b, int c, int d), (a, b, c, d), , R(a, number(a)), \
      W_IF(b, sizeof *b)) \
    F(double, strtod, (const char *a, char **b), (a, b), ASKS(libc_locale), R(a, number(a)), W_IF(b, sizeof *b)) \
    F(double, strtod_l, (const char *a, char **b, void *c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(float, strtof, (const char *a, char **b), (a, b), ASKS(libc_locale), R(a, number(a)), W_IF(b, sizeof *b)) \
    F(float, strtof_l, (const char *a, char **b, void *c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long double, strtold, (const char *a, char **b), (a, b), ASKS(libc_locale), R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long double, strtold_l, (const char *a, char **b, void *c), (a, b, c), , R(a, number(a)), W_IF(b, sizeof *b)) \
    F(long, a64l, (const char *a), (a), , S(a), ) \
    F(char *, l64a, (long a), (a), OWNS(libc_digits), , ) \
    F(char *, ecvt, (double a, int b, int *c, int *d), (a, b, c, d), OWNS(libc_digits), , \
      W(c, sizeof *c) W(d, sizeof *d)) \
    F(char *, fcvt, (double a, int b, int *c, int *d), (a, b, c, d), OWNS(libc_digits), , \
      W(c, sizeof *c) W(d, sizeof *d)) \
    F(char *, gcvt, (double a, int b, char *c), (a, b, c), , , WS(c)) \
    F(int, ecvt_r, (double a, int b, int *c, int *d, char *e, size_t f), (a, b, c, d, e, f), , , \
      if (!r) { W(c, sizeof *c) W(d, sizeof *d) WS(e) }) \
    F(int, fcvt_r, (double a, int b, int *c, int *d, char *e, size_t f), (a, b, c, d, e, f), , , \
      if (!r) { W(c, sizeof *c) W(d, sizeof *d) WS(e) }) \
    F(double, frexp, (double a, int *b), (a, b), , W(b, sizeof *b), ) \
    F(float, frexpf, (float a, int *b), (a, b), , W(b, sizeof *b), ) \
    F(long double, frexpl, (long double a, int *b), (a, b), , W(b, sizeof *b), ) \
    F(double, modf, (double a, double *b), (a, b), , W(b, sizeof *b), ) \
    F(float, modff, (float a, float *b), (a, b), , W(b, sizeof *b), ) \
    F(long double, modfl, (long double a, long double *b), (a, b), , W(b, sizeof *b), ) \
    F(double, lgamma, (double a), (a), , , sign_is_set(pc);) \
    F(float, lgammaf, (float a), (a), , , sign_is_set(pc);) \
    F(long double, lgammal, (long double a), (a), , , sign_is_set(pc);) \
    F(double, gamma, (double a), (a), , , sign_is_set(pc);) \
    /* stdlib.h: sorting, searching, random numbers, the environment */ \
    P(qsort, (void *a, size_t b, size_t c, void *d), (a, b, c, d), , R(a, b * c) W(a, b * c), ) \
    P(qsort_r, (void *a, size_t b, size_t c, void *d, void *e), (a, b, c, d, e), , R(a, b * c) W(a, b * c), ) \
    F(void *, lsearch, (const void *a, void *b, size_t *c, size_t d, void *e), (a, b, c, d, e), , \
      R(c, sizeof *c) R(b, *c * d), W(c, sizeof *c) if ((char *)r == (char *)b + (*c - 1) * d) { R(a, d) W(r, d) }) \
    F(int, rand, (void), (), USES(libc_random), , ) \
    P(srand, (unsigned a), (a), USES(libc_random), , ) \
    F(long, random, (void), (), USES(libc_random), , ) \
    P(srandom, (unsigned a), (a), USES(libc_random), , ) \
    F(char *, initstate, (unsigned a, char *b, size_t c), (a, b, c), USES(libc_random), W(b, c), ) \
    F(char *, setstate, (char *a), (a), USES(libc_random), R(a, 1), ) \
    F(int, rand_r, (unsigned *a), (a), , R(a, sizeof *a) W(a, sizeof *a), ) \
    F(int, random_r, (void *a, int *b), (a, b), , \
      R(a, sizeof(struct random_data)) W(a, sizeof(struct random_data)) W(b, sizeof *b), ) \
    F(int, srandom_r, (unsigned a, void *b), (a, b), , W(b, sizeof(struct random_data)), ) \
    F(int, initstate_r, (unsigned a, char *b, size_t c, void *d), (a, b, c, d), , \
      W(b, c) W(d, sizeof(struct random_data)), ) \
    F(long, lrand48, (void), (), OWNS(libc_drand48), , ) \
    F(long, mrand48, (void), (), OWNS(libc_drand48), , ) \
    F(double, drand48, (void), (), OWNS(libc_drand48), , ) \
    P(srand48, (long a), (a), OWNS(libc_drand48), , ) \
    F(void *, seed48, (unsigned short *a), (a), OWNS(libc_drand48), R(a, 3 * sizeof *a), ) \
    P(lcong48, (unsigned short *a), (a), OWNS(libc_drand48), R(a, 7 * sizeof *a), ) \
    F(double, erand48, (unsigned short *a), (a), OWNS(libc_drand48), R(a, 3 * sizeof *a) W(a, 3 * sizeof *a), ) \
    F(long, nrand48, (unsigned short *a), (a), OWNS(libc_drand48), R(a, 3 * sizeof *a) W(a, 3 * sizeof *a), ) \
    F(long, jrand48, (unsigned short *a), (a), OWNS(libc_drand48), R(a, 3 * sizeof *a) W(a, 3 * sizeof *a), ) \
    F(int, setenv, (const char *a, const char *b, int c), (a, b, c), OWNS(libc_environment), \
      S(a) S(b) W(&environ, sizeof environ), ) \
    F(int, unsetenv, (const char *a), (a), OWNS(libc_environment), S(a) W(&environ, sizeof environ), ) \
    F(int, putenv, (char *a), (a), OWNS(libc_environment), S(a) W(&environ, sizeof environ), ) \
    F(int, clearenv, (void), (), OWNS(libc_environment), W(&environ, sizeof environ), ) \
    F(char *, secure_getenv, (const char *a), (a), ASKS(libc_environment), S(a), ) \
    F(char *, realpath, (const char *a, char *b), (a, b), LOOKS_UP, S(a), FOUND(r) if (r && b) WS(b)) \
    F(char *, __realpath_chk, (const char *a, char *b, size_t c), (a, b, c), LOOKS_UP, S(a), \
      FOUND(r) if (r && b) WS(b)) \
    F(char *, tmpnam, (char *a), (a), OWNS(*(a ? a : &libc_tmpnam)), , if (a && r) WS(a)) \
    F(int, getsubopt, (char **a, void *b, char **c), (a, b, c), , R(a, sizeof *a) S(*a), \
      W(a, sizeof *a) W(c, sizeof *c)) \
    F(int, getopt, (int a, void *b, const char *c), (a, b, c), OWNS(libc_getopt), S(c), ) \
    F(int, getopt_long, (int a, void *b, const char *c, const void *d, int *e), (a, b, c, d, e), OWNS(libc_getopt), \
      S(c), ) \
    F(int, hcreate, (size_t a), (a), OWNS(libc_hash_table), , ) \
    P(hdestroy, (void), (), OWNS(libc_hash_table), , ) \
    F(void *, hsearch, (char *a, void *b, int c), (a, b, c), if (c == ENTER) OWNS(libc_hash_table) \
      else ASKS(libc_hash_table), S(a), ) \
    F(int, hcreate_r, (size_t a, void *b), (a, b), , W(b, sizeof(struct hsearch_data)), ) \
    P(hdestroy_r, (void *a), (a), , W(a, sizeof(struct hsearch_data)), ) \
    F(int, hsearch_r, (char *a, void *b, int c, void *d, void *e), (a, b, c, d, e), , \
      S(a) if (c == ENTER) W(e, sizeof(struct hsearch_data)) else R(e, sizeof(struct hsearch_data)), \
      W(d, sizeof(void *))) \
    F(void *, tsearch, (const void *a, void **b, void *c), (a, b, c), , W(b, sizeof *b), ) \
    F(void *, tdelete, (const void *a, void **b, void *c), (a, b, c), , W(b, sizeof *b), ) \
    F(void *, tfind, (const void *a, void *const *b, void *c), (a, b, c), , R(b, sizeof *b), ) \
    P(insque, (void *a, void *b), (a, b), , W(a, 16) if (b) { R(b, 16) W(b, 8) }, ) \
    P(remque, (void *a), (a), , R(a, 16), ) \
    /* characters and locales */ \
    F(char *, setlocale, (int a, const char *b), (a, b), if (b) OWNS(libc_locale) else ASKS(libc_locale), S_IF(b), ) \
    F(void *, localeconv, (void), (), ASKS(libc_locale), , ) \
    F(char *, nl_langinfo, (int a), (a), ASKS(libc_locale), , ) \
    F(int, mblen, (const char *a, size_t b), (a, b), OWNS(libc_mblen), if (a && b) R(a, 1), ) \
    F(int, mbtowc, (wchar_t *a, const char *b, size_t c), (a, b, c), OWNS(libc_mbtowc), , \
      if (b && r > 0) { R(b, r) W_IF(a, sizeof *a) }) \
    F(int, wctomb, (char *a, wchar_t b), (a, b), OWNS(libc_wctomb), , if (a && r > 0) W(a, r)) \
    F(size_t, mbstowcs, (wchar_t *a, const char *b, size_t c), (a, b, c), , S(b), \
      if (a && r != SIZE_MAX) W(a, (r < c ? r + 1 : c) * sizeof *a)) \
    F(size_t, wcstombs, (char *a, const wchar_t *b, size_t c), (a, b, c), , R(b, WIDE(b)), \
      if (a && r != SIZE_MAX) W(a, r < c ? r + 1 : c)) \
    F(size_t, mbrtowc, (wchar_t *a, const char *b, size_t c, void *d), (a, b, c, d), \
      if (!d) OWNS(libc_mbrtowc), , \
      if (b && r + 2 > 2) { R(b, r) W_IF(a, sizeof *a) } W_IF(d, sizeof(mbstate_t))) \
    F(size_t, mbrlen, (const char *a, size_t b, void *c), (a, b, c), \
      if (!c) OWNS(libc_mbrlen), , \
      if (a && r + 2 > 2) R(a, r) W_IF(c, sizeof(mbstate_t))) \
    F(size_t, wcrtomb, (char *a, wchar_t b, void *c), (a, b, c), \
      if (!c) OWNS(libc_wcrtomb), , \
      if (a && r + 1 > 1) W(a, r) W_IF(c, sizeof(mbstate_t))) \
    F(size_t, mbsrtowcs, (wchar_t *a, const char **b, size_t c, void *d), (a, b, c, d), \
      if (!d) OWNS(libc_mbsrtowcs), R(b, sizeof *b) S(*b), \
      if (a && r != SIZE_MAX) { W(a, (r < c ? r + 1 : c) * sizeof *a) W(b, sizeof *b) } W_IF(d, sizeof(mbstate_t))) \
    F(size_t, wcsrtombs, (char *a, const wchar_t **b, size_t c, void *d), (a, b, c, d), \
      if (!d) OWNS(libc_wcsrtombs), R(b, sizeof *b) R(*b, \
      WIDE(*b)), if (a && r != SIZE_MAX) { W(a, r < c ? r + 1 : c) W(b, sizeof *b) } W_IF(d, sizeof(mbstate_t))) \
    F(size_t, iconv, (void *a, char **b, size_t *c, char **d, size_t *e), (a, b, c, d, e), \
      OWNS(*(char *)a) if (b) { FILLS(b, 8) }, \
      if (b && *b) { R(b, sizeof *b) R(c, sizeof *c) R(*b, *c) R(d, sizeof *d) R(e, sizeof *e) W(*d, \
      *e) }, if (b) { W(b, sizeof *b) W(c, sizeof *c) W(d, sizeof *d) W(e, sizeof *e) }) \
    F(int, iconv_close, (void *a), (a), OWNS(*(char *)a), , ) \
    /* wchar.h */ \
    F(size_t, wcslen, (const wchar_t *a), (a), , R(a, WIDE(a)), ) \
    F(size_t, wcsnlen, (const wchar_t *a, size_t b), (a, b), , R(a, WIDE_PART(a, b)), ) \
    F(wchar_t *, wcscpy, (wchar_t *a, const wchar_t *b), (a, b), , R(b, WIDE(b)) W(a, WIDE(b)), ) \
    F(wchar_t *, wcpcpy, (wchar_t *a, const wchar_t *b), (a, b), , R(b, WIDE(b)) W(a, WIDE(b)), ) \
    F(wchar_t *, wcsncpy, (wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(b, WIDE_PART(b, c)) W(a, c * sizeof *a), ) \
    F(wchar_t *, wcpncpy, (wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(b, WIDE_PART(b, c)) W(a, c * sizeof *a), ) \
    F(wchar_t *, wcscat, (wchar_t *a, const wchar_t *b), (a, b), , \
      R(a, WIDE(a)) R(b, WIDE(b)) W((char *)a + WIDE(a) - sizeof *a, WIDE(b)), ) \
    F(wchar_t *, wcsncat, (wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(a, WIDE(a)) R(b, WIDE_PART(b, c)) W((char *)a + WIDE(a) - sizeof *a, WIDE_PART(b, c) + sizeof *a), ) \
    F(int, wcscmp, (const wchar_t *a, const wchar_t *b), (a, b), , R(a, WIDE(a)) R(b, WIDE(b)), ) \
    F(int, wcscasecmp, (const wchar_t *a, const wchar_t *b), (a, b), , R(a, WIDE(a)) R(b, WIDE(b)), ) \
    F(int, wcscoll, (const wchar_t *a, const wchar_t *b), (a, b), , R(a, WIDE(a)) R(b, WIDE(b)), ) \
    F(int, wcsncmp, (const wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(a, WIDE_PART(a, c)) R(b, WIDE_PART(b, c)), ) \
    F(int, wcsncasecmp, (const wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(a, WIDE_PART(a, c)) R(b, WIDE_PART(b, c)), ) \
    F(wchar_t *, wcschr, (const wchar_t *a, wchar_t b), (a, b), , R(a, WIDE(a)), ) \
    F(wchar_t *, wcsrchr, (const wchar_t *a, wchar_t b), (a, b), , R(a, WIDE(a)), ) \
    F(wchar_t *, wcschrnul, (const wchar_t *a, wchar_t b), (a, b), , R(a, WIDE(a)), ) \
    F(wchar_t *, wcsstr, (const wchar_t *a, const wchar_t *b), (a, b), , R(a, WIDE(a)) R(b, WIDE(b)), ) \
    F(wchar_t *, wcspbrk, (const wchar_t *a, const wchar_t *b), (a, b), , R(a, WIDE(a)) R(b, WIDE(b)), ) \
    F(size_t, wcsspn, (const wchar_t *a, const wchar_t *b), (a, b), , R(a, WIDE(a)) R(b, WIDE(b)), ) \
    F(size_t, wcscspn, (const wchar_t *a, const wchar_t *b), (a, b), , R(a, WIDE(a)) R(b, WIDE(b)), ) \
    F(size_t, wcsxfrm, (wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , R(b, WIDE(b)), \
      if (c) W(a, (r < c ? r + 1 : c) * sizeof *a)) \
    F(wchar_t *, wcstok, (wchar_t *a, const wchar_t *b, wchar_t **c), (a, b, c), , if (a) R(a, WIDE(a)) R(b, \
      WIDE(b)) if (!a) R(c, sizeof *c), W(c, sizeof *c) if (r) W((char *)r + WIDE(r) - sizeof *r, sizeof *r)) \
    F(wchar_t *, wcsdup, (const wchar_t *a), (a), , R(a, WIDE(a)), ) \
    F(wchar_t *, wmemcpy, (wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(b, c * sizeof *b) W(a, c * sizeof *a), ) \
    F(wchar_t *, wmemmove, (wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(b, c * sizeof *b) W(a, c * sizeof *a), ) \
    F(wchar_t *, wmempcpy, (wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(b, c * sizeof *b) W(a, c * sizeof *a), ) \
    F(wchar_t *, wmemset, (wchar_t *a, wchar_t b, size_t c), (a, b, c), , W(a, c * sizeof *a), ) \
    F(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t c), (a, b, c), , \
      R(a, c * sizeof *a) R(b, c * sizeof *b), ) \
    F(wchar_t *, wmemchr, (const wchar_t *a, wchar_t b, size_t c), (a, b, c), , R(a, c * sizeof *a), ) \
    F(long, wcstol, (const wchar_t *a, wchar_t **b, int c), (a, b, c), , R(a, wide_number(a)), W_IF(b, sizeof *b)) \
    F(long, __isoc23_wcstol, (const wchar_t *a, wchar_t **b, int c), (a, b, c), , R(a, wide_number(a)), \
      W_IF(b, sizeof *b)) \
    F(long, wcstoll, (const wchar_t *a, wchar_t **b, int c), (a, b, c), , R(a, wide_number(a)), W_IF(b, sizeof *b)) \
    F(long, __isoc23_wcstoll, (const wchar_t *a, wchar_t **b, int c), (a, b, c), , R(a, wide_number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, wcstoul, (const wchar_t *a, wchar_t **b, int c), (a, b, c), , R(a, wide_number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, __isoc23_wcstoul, (const wchar_t *a, wchar_t **b, int c), (a, b, c), , R(a, wide_number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, wcstoull, (const wchar_t *a, wchar_t **b, int c), (a, b, c), , R(a, wide_number(a)), \
      W_IF(b, sizeof *b)) \
    F(unsigned long, __isoc23_wcstoull, (const wchar_t *a, wchar_t **b, int c), (a, b, c), , R(a, wide_number(a)), \
      W_IF(b, sizeof *b)) \
    F(double, wcstod, (const wchar_t *a, wchar_t **b), (a, b), , R(a, wide_number(a)), W_IF(b, sizeof *b)) \
    F(float, wcstof, (const wchar_t *a, wchar_t **b), (a, b), , R(a, wide_number(a)), W_IF(b, sizeof *b)) \
    F(long double, wcstold, (const wchar_t *a, wchar_t **b), (a, b), , R(a, wide_number(a)), W_IF(b, sizeof *b)) \
    F(size_t, wcsftime, (wchar_t *a, size_t b, const wchar_t *c, const void *d), (a, b, c, d), , \
      R(c, WIDE(c)) R(d, sizeof(struct tm)), if (r) W(a, (r + 1) * sizeof *a)) \
    /* time.h */ \
    F(void *, localtime, (const void *a), (a), OWNS(libc_time_buffer), R(a, sizeof(time_t)), ) \
    F(void *, localtime_r, (const void *a, void *b), (a, b), , R(a, sizeof(time_t)) W(b, sizeof(struct tm)), ) \
    F(void *, gmtime, (const void *a), (a), OWNS(libc_time_buffer), R(a, sizeof(time_t)), ) \
    F(void *, gmtime_r, (const void *a, void *b), (a, b), , R(a, sizeof(time_t)) W(b, sizeof(struct tm)), ) \
    F(char *, asctime, (const void *a), (a), OWNS(libc_time_buffer), R(a, sizeof(struct tm)), ) \
    F(char *, ctime, (const void *a), (a), OWNS(libc_time_buffer), R(a, sizeof(time_t)), ) \
    F(char *, asctime_r, (const void *a, char *b), (a, b), , R(a, sizeof(struct tm)), if (r) WS(b)) \
    F(char *, ctime_r, (const void *a, char *b), (a, b), , R(a, sizeof(time_t)), if (r) WS(b)) \
    F(long, mktime, (void *a), (a), , R(a, sizeof(struct tm)) W(a, sizeof(struct tm)), ) \
    F(long, timegm, (void *a), (a), , R(a, sizeof(struct tm)) W(a, sizeof(struct tm)), ) \
    F(long, timelocal, (void *a), (a), , R(a, sizeof(struct tm)) W(a, sizeof(struct tm)), ) \
    F(size_t, strftime, (char *a, size_t b, const char *c, const void *d), (a, b, c, d), ASKS(libc_locale), \
      S(c) R(d, sizeof(struct tm)), if (r) W(a, r + 1)) \
    F(size_t, strftime_l, (char *a, size_t b, const char *c, const void *d, void *e), (a, b, c, d, e), , \
      S(c) R(d, sizeof(struct tm)), if (r) W(a, r + 1)) \
    F(char *, strptime, (const char *a, const char *b, void *c), (a, b, c), , S(a) S(b) W(c, sizeof(struct tm)), ) \
    F(void *, getdate, (const char *a), (a), OWNS(libc_time_buffer), S(a), ) \
    F(long, times, (void *a), (a), FILLS(a, sizeof(struct tms)), , W_IF(a, sizeof(struct tms))) \
    /* accounts, hosts, addresses */ \
    F(void *, getpwnam, (const char *a), (a), OWNS(libc_accounts), S(a), ) \
    F(void *, getpwuid, (unsigned a), (a), OWNS(libc_accounts), , ) \
    F(void *, getgrnam, (const char *a), (a), OWNS(libc_accounts), S(a), ) \
    F(void *, getgrgid, (unsigned a), (a), OWNS(libc_accounts), , ) \
    F(void *, getpwent, (void), (), OWNS(libc_accounts), , ) \
    F(void *, getgrent, (void), (), OWNS(libc_accounts), , ) \
    P(setpwent, (void), (), OWNS(libc_accounts), , ) \
    P(endpwent, (void), (), OWNS(libc_accounts), , ) \
    P(setgrent, (void), (), OWNS(libc_accounts), , ) \
    P(endgrent, (void), (), OWNS(libc_accounts), , ) \
    F(int, getpwnam_r, (const char *a, void *b, char *c, size_t d, void *e), (a, b, c, d, e), , \
      S(a) W(b, sizeof(struct passwd)) W(c, d) W(e, sizeof(void *)), ) \
    F(int, getgrnam_r, (const char *a, void *b, char *c, size_t d, void *e), (a, b, c, d, e), , \
      S(a) W(b, sizeof(struct group)) W(c, d) W(e, sizeof(void *)), ) \
    F(int, getpwuid_r, (unsigned a, void *b, char *c, size_t d, void *e), (a, b, c, d, e), , \
      W(b, sizeof(struct passwd)) W(c, d) W(e, sizeof(void *)), ) \
    F(int, getgrgid_r, (unsigned a, void *b, char *c, size_t d, void *e), (a, b, c, d, e), , \
      W(b, sizeof(struct group)) W(c, d) W(e, sizeof(void *)), ) \
    F(int, getlogin_r, (char *a, size_t b), (a, b), , , if (!r) WS(a)) \
    F(int, ttyname_r, (int a, char *b, size_t c), (a, b, c), , , if (!r) WS(b)) \
    F(int, getgroups, (int a, void *b), (a, b), FILLS(b, a > 0 ? (size_t)a * sizeof(unsigned) : 0), , \
      if (a > 0 && r > 0) W(b, (size_t)r * sizeof(unsigned))) \
    F(int, gethostname, (char *a, size_t b), (a, b), , , if (!r) W(a, PART(a, b))) \
    F(int, getdomainname, (char *a, size_t b), (a, b), FILLS(a, b), , if (!r) W(a, PART(a, b))) \
    F(void *, gethostbyname, (const char *a), (a), OWNS(libc_hosts), S(a), ) \
    F(void *, gethostbyname2, (const char *a, int b), (a, b), OWNS(libc_hosts), S(a), ) \
    F(void *, gethostbyaddr, (const void *a, unsigned b, int c), (a, b, c), OWNS(libc_hosts), R(a, b), ) \
    F(int, gethostbyname_r, (const char *a, void *b, char *c, size_t d, void *e, int *f), (a, b, c, d, e, f), , \
      S(a) W(b, sizeof(struct hostent)) W(c, d) W(e, sizeof(void *)) W(f, sizeof *f), ) \
    F(void *, getservbyname, (const char *a, const char *b), (a, b), OWNS(libc_services), S(a) S_IF(b), ) \
    F(void *, getservbyport, (int a, const char *b), (a, b), OWNS(libc_services), S_IF(b), ) \
    F(void *, getprotobyname, (const char *a), (a), OWNS(libc_services), S(a), ) \
    F(int, getaddrinfo, (const char *a, const char *b, const void *c, void *d), (a, b, c, d), , \
      S_IF(a) S_IF(b) R_IF(c, sizeof(struct addrinfo)), if (!r) W(d, sizeof(void *))) \
    F(int, getnameinfo, (const void *a, unsigned b, char *c, unsigned d, char *e, unsigned f, int g), \
      (a, b, c, d, e, f, g), , R(a, b), if (!r && c && d) WS(c) if (!r && e && f) WS(e)) \
    F(const char *, inet_ntop, (int a, const void *b, char *c, unsigned d), (a, b, c, d), , R(b, address_size(a)), \
      if (r) WS(c)) \
    F(int, inet_pton, (int a, const char *b, void *c), (a, b, c), , S(b), if (r == 1) W(c, address_size(a))) \
    F(int, inet_aton, (const char *a, void *b), (a, b), , S(a), if (r && b) W(b, sizeof(struct in_addr))) \
    F(unsigned, inet_addr, (const char *a), (a), , S(a), ) \
    F(unsigned, if_nametoindex, (const char *a), (a), , S(a), ) \
    F(char *, if_indextoname, (unsigned a, char *b), (a, b), , , if (r) WS(b)) \
    /* patterns */ \
    F(int, regcomp, (void *a, const char *b, int c), (a, b, c), , W(a, sizeof(regex_t)) S(b), ) \
    F(int, regexec, (const void *a, const char *b, size_t c, void *d, int e), (a, b, c, d, e), , \
      R(a, sizeof(regex_t)) if (e & REG_STARTEND) R(d, sizeof(regmatch_t)) else S(b), \
      if (!r && d && !((const regex_t *)a)->no_sub) W(d, c * sizeof(regmatch_t))) \
    P(regfree, (void *a), (a), , W(a, sizeof(regex_t)), ) \
    F(size_t, regerror, (int a, const void *b, char *c, size_t d), (a, b, c, d), , , if (d) WS(c)) \
    F(int, fnmatch, (const char *a, const char *b, int c), (a, b, c), , S(a) S(b), ) \
    F(int, wordexp, (const char *a, void *b, int c), (a, b, c), , S(a) W(b, 24), ) \
    /* what the kernel tells */ \
    F(char *, getcwd, (char *a, size_t b), (a, b), FILLS(a, a ? b : 0), , if (r && a) WS(a)) \
    F(char *, __getcwd_chk, (char *a, size_t b, size_t c), (a, b, c), FILLS(a, a ? b : 0), , if (r && a) WS(a)) \
    F(char *, getwd, (char *a), (a), FILLS(a, 4096), , if (r) WS(a)) \
    F(long, readlink, (const char *a, char *b, size_t c), (a, b, c), FILLS(b, c) LOOKS_UP, S(a), \
      FOUND(r >= 0) if (r > 0) W(b, (size_t)r)) \
    F(long, readlinkat, (int a, const char *b, char *c, size_t d), (a, b, c, d), FILLS(c, d) LOOKS_UP, S(b), \
      FOUND(r >= 0) if (r > 0) W(c, (size_t)r)) \
    F(long, __readlink_chk, (const char *a, char *b, size_t c, size_t d), (a, b, c, d), FILLS(b, c) LOOKS_UP, S(a), \
      FOUND(r >= 0) if (r > 0) W(b, (size_t)r)) \
    F(int, getrusage, (int a, void *b), (a, b), FILLS(b, sizeof(struct rusage)), , \
      if (!r) W(b, sizeof(struct rusage))) \
    F(int, getrlimit, (int a, void *b), (a, b), FILLS(b, sizeof(struct rlimit)), , \
      if (!r) W(b, sizeof(struct rlimit))) \
    F(int, getrlimit64, (int a, void *b), (a, b), FILLS(b, sizeof(struct rlimit)), , \
      if (!r) W(b, sizeof(struct rlimit))) \
    F(int, prlimit, (int a, int b, const void *c, void *d), (a, b, c, d), FILLS(d, d ? sizeof(struct rlimit) : 0), \
      R_IF(c, sizeof(struct rlimit)), if (!r) W_IF(d, sizeof(struct rlimit))) \
    F(int, prlimit64, (int a, int b, const void *c, void *d), (a, b, c, d), FILLS(d, d ? sizeof(struct rlimit) : 0), \
      R_IF(c, sizeof(struct rlimit)), if (!r) W_IF(d, sizeof(struct rlimit))) \
    F(int, sysinfo, (void *a), (a), FILLS(a, sizeof(struct sysinfo)), , if (!r) W(a, sizeof(struct sysinfo))) \
    F(int, sched_getaffinity, (int a, size_t b, void *c), (a, b, c), FILLS(c, b), , if (!r) W(c, b)) \
    F(int, sched_getparam, (int a, void *b), (a, b), FILLS(b, sizeof(struct sched_param)), , \
      if (!r) W(b, sizeof(struct sched_param))) \
    F(int, statfs, (const char *a, void *b), (a, b), FILLS(b, sizeof(struct statfs)), S(a), \
      if (!r) W(b, sizeof(struct statfs))) \
    F(int, statfs64, (const char *a, void *b), (a, b), FILLS(b, sizeof(struct statfs)), S(a), \
      if (!r) W(b, sizeof(struct statfs))) \
    F(int, statvfs, (const char *a, void *b), (a, b), FILLS(b, sizeof(struct statvfs)), S(a), \
      if (!r) W(b, sizeof(struct statvfs))) \
    F(int, statvfs64, (const char *a, void *b), (a, b), FILLS(b, sizeof(struct statvfs)), S(a), \
      if (!r) W(b, sizeof(struct statvfs))) \
    F(int, fstatfs, (int a, void *b), (a, b), FILLS(b, sizeof(struct statfs)), , if (!r) W(b, sizeof(struct statfs))) \
    F(int, fstatfs64, (int a, void *b), (a, b), FILLS(b, sizeof(struct statfs)), , \
      if (!r) W(b, sizeof(struct statfs))) \
    F(int, fstatvfs, (int a, void *b), (a, b), FILLS(b, sizeof(struct statvfs)), , \
      if (!r) W(b, sizeof(struct statvfs))) \
    F(int, fstatvfs64, (int a, void *b), (a, b), FILLS(b, sizeof(struct statvfs)), , \
      if (!r) W(b, sizeof(struct statvfs))) \
    F(int, uname, (void *a), (a), FILLS(a, sizeof(struct utsname)), , if (!r) W(a, sizeof(struct utsname))) \
    F(int, getresuid, (unsigned *a, unsigned *b, unsigned *c), (a, b, c), FILLS(a, 4) FILLS(b, 4) FILLS(c, 4), , \
      W(a, 4) W(b, 4) W(c, 4)) \
    F(int, getresgid, (unsigned *a, unsigned *b, unsigned *c), (a, b, c), FILLS(a, 4) FILLS(b, 4) FILLS(c, 4), , \
      W(a, 4) W(b, 4) W(c, 4)) \
    /* directories: a stream of a folder has no lock */ \
    F(void *, readdir, (void *a), (a), LOOKS_UP OWNS(*(char *)a), , FOUND(r)) \
    F(void *, readdir64, (void *a), (a), LOOKS_UP OWNS(*(char *)a), , FOUND(r)) \
    F(int, readdir_r, (void *a, void *b, void *c), (a, b, c), OWNS(*(char *)a), , W(c, sizeof(void *))) \
    F(int, readdir64_r, (void *a, void *b, void *c), (a, b, c), OWNS(*(char *)a), , W(c, sizeof(void *))) \
    P(rewinddir, (void *a), (a), OWNS(*(char *)a), , ) \
    P(seekdir, (void *a, long b), (a, b), OWNS(*(char *)a), , ) \
    F(long, telldir, (void *a), (a), ASKS(*(char *)a), , )

#endif
