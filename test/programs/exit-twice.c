/* Two threads call exit() at once, or main() returns while another thread calls exit(): C leaves open what happens. A
 * thread that ends the program while others run, that uses _exit(), or whose call is excluded by a lock does neither.
 * expect with -- both: ERROR misuse: exit\(\) is called while T[12] calls exit\(\)
 * expect with -- main: ERROR misuse: (exit\(\) is called while main|main\(\) returns while T1) calls exit\(\)
 * expect with -- failure: ERROR exit: exit\(3\) is called
 * expect with -- one: VERIFIED no error in any schedule
 * expect with -- at-once: VERIFIED no error in any schedule
 * expect with -- excluded: VERIFIED no error in any schedule
 * expect with --explore=icb -b 0 -- both: ERROR misuse
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *mode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is(const char *other) { return !strcmp(mode, other); }

static void *quit(void *a)
{
    if (is("excluded")) pthread_mutex_lock(&lock);
    if (is("at-once")) _exit(0);
    exit(is("failure") ? 3 : 0);
    return a;
}

static void *spin(void *a)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t, u;
    mode = argc > 1 ? argv[1] : "";
    pthread_create(&t, NULL, quit, NULL);
    pthread_create(&u, NULL, is("both") || is("excluded") || is("at-once") ? quit : spin, NULL);
    if (is("main") || is("failure")) return 0;
    pthread_join(u, NULL);
    pthread_join(t, NULL);
    return 0;
}
