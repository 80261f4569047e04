/* clang's attribute for functions that no sanitizer is to touch: what they do is observed, or they are named.
 * compiler: clang
 * flags: -O1
 * expect with -- plain: BOUNDED no error in any schedule, not (fully )?observed: plain\(\)
 * expect with -- wide: ERROR race
 * expect with -- atomic: BOUNDED no error in any schedule, not (fully )?observed: atomic\(\)
 * expect with -- both: BOUNDED no error in any schedule, not (fully )?observed: both\(\)
 * expect with -- reads: BOUNDED no error in any schedule, not (fully )?observed: reads\(\)
 * expect with -- copies: ERROR race
 * expect with -- fills: BOUNDED no error in any schedule, not (fully )?observed: fills\(\)
 */
#include <pthread.h>
#include <string.h>
#define ALONE __attribute__((disable_sanitizer_instrumentation, noinline))
struct large { long at[6]; };
int n;
extern int other;
struct large one, two;
static _Thread_local volatile int seen;
static const char *mode = "";
static int is(const char *name) { return !strcmp(mode, name); }
ALONE static void plain(void) { n++; }
ALONE static void wide(void) { one = two, n++; }
ALONE static void atomic(void) { __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED); }
ALONE static void both(void) { one = two, __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED); }
ALONE static int reads(void) { return other; }
ALONE static void copies(struct large *to) { *to = two; }
ALONE static void fills(int *to) { *to = 3; }
static void *works(void *a)
{
    if (is("plain")) a ? (void)(n = 2) : plain();
    if (is("wide")) a ? (void)(n = 2) : wide();
    if (is("atomic")) a ? (void)(n = 2) : atomic();
    if (is("both")) a ? (void)__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED) : both();
    if (is("reads")) a ? (void)(other = 2) : (void)(seen = reads());
    if (is("copies")) a ? (void)(one.at[1] = 2) : copies(&one);
    if (is("fills")) a ? (void)(n = 2) : fills(&n);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    pthread_create(&t, NULL, works, NULL);
    works(argv);
    return pthread_join(t, NULL);
}
int other;
