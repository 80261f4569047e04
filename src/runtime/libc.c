/* A function for each row of calls_int.h: it announces what the row says, as if the program did it, and lets the
 * library do the work. Memory is announced for calls by the program only: what libraries do among themselves is
 * synchronised in ways that are not seen. */
#include "runtime/announce_int.h"
#include "runtime/libc_state_int.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <regex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <grp.h>
#include <pwd.h>
#include <search.h>
#include <wchar.h>

static void owns(const void *state, bool writes, uintptr_t pc)
{
    if (!rt.active) return;
    rt_range((uintptr_t)state, 1, writes, pc);
    if (writes) rt_effect();
}

static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_in_number(int c)
{
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

/* The text of a number: spaces, a sign, digits of any base, and the character that ends it. */
static size_t number(const char *s)
{
    size_t i = 0;
    while (is_space(s[i])) i++;
    while (is_in_number(s[i])) i++;
    return i + 1;
}

static size_t wide_number(const wchar_t *s)
{
    size_t i = 0;
    while (is_space(s[i])) i++;
    while (is_in_number(s[i])) i++;
    return (i + 1) * sizeof *s;
}

static size_t address_size(int family) { return family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr); }

/* Two calls that set it do no harm to each other, but to a thread that reads it. */
static void sign_is_set(uintptr_t pc)
{
    int *sign = dlsym(RTLD_DEFAULT, "signgam");
    if (sign && rt.check_plain) rt_access((uintptr_t)sign, sizeof *sign, true, true, pc);
}

LIBC_CALLS(DEFINE_FUNCTION, DEFINE_PROCEDURE)
STREAM_CALLS(DEFINE_FUNCTION, DEFINE_PROCEDURE)

/* What putenv() was given is the program's; what the kernel wrote lies above its list. */
static void reads_setting(const char *setting, const char *name, uintptr_t pc)
{
    size_t same = 0;
    if ((uintptr_t)setting >= (uintptr_t)rt.envp) return;
    while (name[same] && setting[same] == name[same]) same++;
    rt_range((uintptr_t)setting, same + 1, false, pc);
}

/* Also asked for before anything of the runtime is ready. */
EXPORT char *getenv(const char *name)
{
    bool watched = rt_watches(CALLER);
    if (rt_is_program_code(CALLER)) owns(&libc_environment, false, CALLER);
    if (watched) rt_range((uintptr_t)&environ, sizeof environ, false, CALLER);
    rt_call_reads_text(name, CALLER);
    size_t len = strlen(name);
    for (char **e = environ; e && *e; e++) {
        if (watched) reads_setting(*e, name, CALLER);
        if (!strncmp(*e, name, len) && (*e)[len] == '=') return *e + len + 1;
    }
    return NULL;
}
