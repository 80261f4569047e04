/* A large structure that is passed by value: clang copies it by an instruction that it writes as "rep;movsq".
flags: -O1
expect: ERROR race: .*gap-by-value-large.c
expect with -- freed: ERROR memory: read of 320 bytes after free
expect with -- locked and: VERIFIED no error in any schedule$
*/
#include <pthread.h>
#include <stdlib.h>
struct large { long a[40]; };
static struct large *shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked;
static volatile long last_of_it;

__attribute__((noinline)) static long last(struct large x) { return x.a[0] + x.a[39]; }

static void *work(void *arg)
{
    if (locked) pthread_mutex_lock(&m);
    last_of_it = last(*shared);
    if (locked) pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    locked = argc > 2;
    shared = calloc(1, sizeof *shared);
    if (argc == 2) free(shared);
    pthread_create(&t, NULL, work, NULL);
    if (locked) pthread_mutex_lock(&m);
    if (argc != 2) shared->a[39] = 1;
    if (locked) pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
