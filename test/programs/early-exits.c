/* Two threads end the program, one of them with a status of failure: which comes first is a choice that costs nothing.
 * If both statuses are accepted, it is misuse that they end it at once.
 * expect with --explore=bpor -b 0: ERROR exit
 * expect with --explore=optimal: ERROR exit
 * expect with --explore=cb-por -b 0: ERROR exit
 * expect with --explore=bpor --exit=0,3: ERROR misuse: (main\(\) returns|exit\(\) is called) while T[01] calls exit\(\)
 */
#include <pthread.h>
#include <stdlib.h>

static void *quit(void *unused)
{
    (void)unused;
    exit(3);
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, quit, NULL);
    return 0;
}
