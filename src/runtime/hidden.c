/* Functions of the C library that keep something of their own between two calls, or give out a pointer to it: two
 * threads that call them without synchronisation race, although the memory is none of the program's. Each such state
 * has a variable here that stands for it, by whose name the race is told. */
#include "runtime/internal.h"

#include <stdlib.h>
#include <unistd.h>

static char libc_strtok, libc_time_buffer, libc_environment, libc_drand48, libc_accounts, libc_hosts, libc_tmpnam;
static char libc_hash_table;

static void uses(char *state, bool writes, uintptr_t pc)
{
    if (rt.active) rt_range((uintptr_t)state, 1, writes, pc);
}

/* The parameters are as wide as those in the C library's headers, and that is all a call needs. */
#define WRITES(result, name, parameters, arguments, state) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        uses((char *)(state), true, CALLER); \
        rt_effect(); \
        return ((function *)rt_real(#name))arguments; \
    }
WRITES(char *, strtok, (char *a, const char *b), (a, b), &libc_strtok)
WRITES(void *, localtime, (const void *a), (a), &libc_time_buffer)
WRITES(void *, gmtime, (const void *a), (a), &libc_time_buffer)
WRITES(char *, asctime, (const void *a), (a), &libc_time_buffer)
WRITES(char *, ctime, (const void *a), (a), &libc_time_buffer)
WRITES(int, setenv, (const char *a, const char *b, int c), (a, b, c), &libc_environment)
WRITES(int, unsetenv, (const char *a), (a), &libc_environment)
WRITES(int, putenv, (char *a), (a), &libc_environment)
WRITES(int, clearenv, (void), (), &libc_environment)
WRITES(long, lrand48, (void), (), &libc_drand48)
WRITES(long, mrand48, (void), (), &libc_drand48)
WRITES(double, drand48, (void), (), &libc_drand48)
WRITES(void, srand48, (long a), (a), &libc_drand48)
WRITES(void *, getpwnam, (const char *a), (a), &libc_accounts)
WRITES(void *, getpwuid, (unsigned a), (a), &libc_accounts)
WRITES(void *, getgrnam, (const char *a), (a), &libc_accounts)
WRITES(void *, getgrgid, (unsigned a), (a), &libc_accounts)
WRITES(void *, gethostbyname, (const char *a), (a), &libc_hosts)
WRITES(char *, tmpnam, (char *a), (a), a ? a : &libc_tmpnam)
WRITES(int, hcreate, (size_t a), (a), &libc_hash_table)
WRITES(void, hdestroy, (void), (), &libc_hash_table)
WRITES(void *, readdir, (void *a), (a), a)
WRITES(void *, readdir64, (void *a), (a), a)

/* Also asked for before anything of the runtime is ready. */
EXPORT char *getenv(const char *name)
{
    size_t len = strlen(name);
    uses(&libc_environment, false, CALLER);
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, name, len) && (*e)[len] == '=') return *e + len + 1;
    return NULL;
}
