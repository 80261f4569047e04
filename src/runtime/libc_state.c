/* The variables of libc_state_int.h, in a file of their own: their names are looked up in its debug information, which
 * the rest of the runtime does not have. */
#include "runtime/libc_state_int.h"

char libc_strtok, libc_time_buffer, libc_environment, libc_drand48, libc_accounts, libc_hosts, libc_tmpnam;
char libc_mblen, libc_mbtowc, libc_wctomb, libc_mbrtowc, libc_mbrlen, libc_wcrtomb;
char libc_mbsrtowcs, libc_wcsrtombs;
char libc_hash_table, libc_random, libc_locale, libc_digits, libc_getopt, libc_services;
