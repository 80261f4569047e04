/* A copy of a mutex is no mutex: it may be locked for ever.
expect with -- races: ERROR race: .* of original
expect with -- locked: ERROR misuse: using a copy of a mutex that was locked
expect with -- template: VERIFIED no error in any schedule$
*/
#include <pthread.h>
#include <string.h>

static pthread_mutex_t original = PTHREAD_MUTEX_INITIALIZER, copy;
static int races, locked;

static void *run(void *p)
{
    if (races) copy = original;
    pthread_mutex_lock(&copy);
    pthread_mutex_unlock(&copy);
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;
    races = argc > 1 && !strcmp(argv[1], "races");
    locked = argc > 1 && !strcmp(argv[1], "locked");
    if (locked) pthread_mutex_lock(&original);
    if (!races) copy = original;
    pthread_create(&t, 0, run, 0);
    if (!locked) pthread_mutex_lock(&original);
    pthread_mutex_unlock(&original);
    pthread_join(t, 0);
    return 0;
}
