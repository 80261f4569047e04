/* Rows of stdio.h and wchar.h about streams (calls_int.h says what the words mean). printf and scanf: format.c. */
#ifndef HEDDLE_RUNTIME_CALLS_STREAM_INT_H
#define HEDDLE_RUNTIME_CALLS_STREAM_INT_H

#define STREAM_CALLS(F, P) \
    F(int, fputs, (const char *a, void *b), (a, b), PRINTS(b), S(a), ) \
    F(int, puts, (const char *a), (a), PRINTS(stdout), S(a), ) \
    F(int, fputc, (int a, void *b), (a, b), PRINTS(b), , ) \
    F(int, putc, (int a, void *b), (a, b), PRINTS(b), , ) \
    F(int, _IO_putc, (int a, void *b), (a, b), PRINTS(b), , ) \
    F(int, putchar, (int a), (a), PRINTS(stdout), , ) \
    F(int, putw, (int a, void *b), (a, b), PRINTS(b), , ) \
    F(size_t, fwrite, (const void *a, size_t b, size_t c, void *d), (a, b, c, d), PRINTS(d), R(a, b * c), ) \
    P(perror, (const char *a), (a), PRINTS(stderr), S_IF(a), ) \
    P(psignal, (int a, const char *b), (a, b), PRINTS(stderr), S_IF(b), ) \
    F(size_t, fread, (void *a, size_t b, size_t c, void *d), (a, b, c, d), FILLS(a, b * c) READS(d), , W(a, b * r)) \
    F(size_t, __fread_chk, (void *a, size_t n, size_t b, size_t c, void *d), (a, n, b, c, d), \
      FILLS(a, b * c) READS(d), , W(a, b * r)) \
    F(char *, fgets, (char *a, int b, void *c), (a, b, c), READS(c), , if (r) WS(a)) \
    F(char *, __fgets_chk, (char *a, size_t n, int b, void *c), (a, n, b, c), READS(c), , if (r) WS(a)) \
    F(int, fgetc, (void *a), (a), READS(a), , ) \
    F(int, getc, (void *a), (a), READS(a), , ) \
    F(int, _IO_getc, (void *a), (a), READS(a), , ) \
    F(int, getchar, (void), (), READS(stdin), , ) \
    F(int, getw, (void *a), (a), READS(a), , ) \
    F(int, ungetc, (int a, void *b), (a, b), READS(b), , ) \
    F(long, getline, (char **a, size_t *b, void *c), (a, b, c), READS(c), \
      R(a, sizeof *a) R(b, sizeof *b), W(a, sizeof *a) W(b, sizeof *b) if (r > 0) W(*a, (size_t)r + 1)) \
    F(long, getdelim, (char **a, size_t *b, int c, void *d), (a, b, c, d), READS(d), \
      R(a, sizeof *a) R(b, sizeof *b), W(a, sizeof *a) W(b, sizeof *b) if (r > 0) W(*a, (size_t)r + 1)) \
    F(long, __getdelim, (char **a, size_t *b, int c, void *d), (a, b, c, d), READS(d), \
      R(a, sizeof *a) R(b, sizeof *b), W(a, sizeof *a) W(b, sizeof *b) if (r > 0) W(*a, (size_t)r + 1)) \
    F(int, fseek, (void *a, long b, int c), (a, b, c), CHANGES(a), , ) \
    F(int, fseeko, (void *a, long b, int c), (a, b, c), CHANGES(a), , ) \
    F(int, fseeko64, (void *a, long b, int c), (a, b, c), CHANGES(a), , ) \
    F(long, ftell, (void *a), (a), CHANGES(a), , ) \
    F(long, ftello, (void *a), (a), CHANGES(a), , ) \
    F(long, ftello64, (void *a), (a), CHANGES(a), , ) \
    P(rewind, (void *a), (a), CHANGES(a), , ) \
    F(int, fgetpos, (void *a, void *b), (a, b), CHANGES(a), , W(b, sizeof(fpos_t))) \
    F(int, fgetpos64, (void *a, void *b), (a, b), CHANGES(a), , W(b, sizeof(fpos_t))) \
    F(int, fsetpos, (void *a, const void *b), (a, b), CHANGES(a), R(b, sizeof(fpos_t)), ) \
    F(int, fsetpos64, (void *a, const void *b), (a, b), CHANGES(a), R(b, sizeof(fpos_t)), ) \
    F(int, feof, (void *a), (a), LOOKS(a), , ) \
    F(int, ferror, (void *a), (a), LOOKS(a), , ) \
    P(clearerr, (void *a), (a), CHANGES(a), , ) \
    P(setbuf, (void *a, char *b), (a, b), CHANGES(a), W_IF(b, BUFSIZ), BUFFER(a, b, BUFSIZ)) \
    P(setbuffer, (void *a, char *b, size_t c), (a, b, c), CHANGES(a), W_IF(b, c), BUFFER(a, b, c)) \
    P(setlinebuf, (void *a), (a), CHANGES(a), , ) \
    F(int, setvbuf, (void *a, char *b, int c, size_t d), (a, b, c, d), CHANGES(a), W_IF(b, d), \
      if (!r) BUFFER(a, b, d)) \
    F(void *, open_memstream, (char **a, size_t *b), (a, b), , W(a, sizeof *a) W(b, sizeof *b), \
      if (r) GROWS(r, a, b)) \
    F(void *, fmemopen, (void *a, size_t b, const char *c), (a, b, c), , S(c) W_IF(a, b), if (r) BUFFER(r, a, b)) \
    F(int, fputs_unlocked, (const char *a, void *b), (a, b), UNLOCKED(b), S(a), ) \
    F(int, fputc_unlocked, (int a, void *b), (a, b), UNLOCKED(b), , ) \
    F(int, putc_unlocked, (int a, void *b), (a, b), UNLOCKED(b), , ) \
    F(int, putchar_unlocked, (int a), (a), UNLOCKED(stdout), , ) \
    F(size_t, fwrite_unlocked, (const void *a, size_t b, size_t c, void *d), (a, b, c, d), UNLOCKED(d), R(a, b * c), ) \
    F(size_t, fread_unlocked, (void *a, size_t b, size_t c, void *d), (a, b, c, d), FILLS(a, b * c) UNLOCKED(d), , \
      W(a, b * r)) \
    F(char *, fgets_unlocked, (char *a, int b, void *c), (a, b, c), UNLOCKED(c), , if (r) WS(a)) \
    F(int, fgetc_unlocked, (void *a), (a), UNLOCKED(a), , ) \
    F(int, getc_unlocked, (void *a), (a), UNLOCKED(a), , ) \
    F(int, getchar_unlocked, (void), (), UNLOCKED(stdin), , ) \
    F(int, fflush_unlocked, (void *a), (a), UNLOCKED(a), , ) \
    F(int, feof_unlocked, (void *a), (a), LOOKS_UNLOCKED(a), , ) \
    F(int, ferror_unlocked, (void *a), (a), LOOKS_UNLOCKED(a), , ) \
    P(clearerr_unlocked, (void *a), (a), UNLOCKED(a), , ) \
    F(int, fputws, (const wchar_t *a, void *b), (a, b), PRINTS(b), R(a, WIDE(a)), ) \
    F(unsigned, fputwc, (wchar_t a, void *b), (a, b), PRINTS(b), , ) \
    F(unsigned, putwc, (wchar_t a, void *b), (a, b), PRINTS(b), , ) \
    F(unsigned, putwchar, (wchar_t a), (a), PRINTS(stdout), , ) \
    F(wchar_t *, fgetws, (wchar_t *a, int b, void *c), (a, b, c), READS(c), , if (r) W(a, WIDE(a))) \
    F(unsigned, fgetwc, (void *a), (a), READS(a), , ) \
    F(unsigned, getwc, (void *a), (a), READS(a), , ) \
    F(unsigned, getwchar, (void), (), READS(stdin), , ) \
    F(unsigned, ungetwc, (unsigned a, void *b), (a, b), READS(b), , ) \
    F(int, fwide, (void *a, int b), (a, b), CHANGES(a), , ) \
    F(int, pclose, (void *a), (a), CHANGES(a), , )

#endif
