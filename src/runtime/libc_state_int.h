/* What the C library keeps of its own between two calls: a variable stands for each, by whose name a race is told. */
#ifndef HEDDLE_RUNTIME_LIBC_STATE_INT_H
#define HEDDLE_RUNTIME_LIBC_STATE_INT_H

extern char libc_strtok, libc_time_buffer, libc_environment, libc_drand48, libc_accounts, libc_hosts, libc_tmpnam;
extern char libc_mblen, libc_mbtowc, libc_wctomb, libc_mbrtowc, libc_mbrlen, libc_wcrtomb;
extern char libc_mbsrtowcs, libc_wcsrtombs;
extern char libc_hash_table, libc_random, libc_locale, libc_digits, libc_getopt, libc_services;

#endif
