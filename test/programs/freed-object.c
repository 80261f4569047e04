/* Objects of threads that are used after they were freed; what a thread has but to leave may be gone.
expect: VERIFIED no error in any schedule
expect with -- lock: ERROR memory: write of 1 bytes after free, 0 bytes into a block of
expect with -- signal: ERROR memory: write of 1 bytes after free, 40 bytes into a block of
expect with -- post: ERROR memory: write of 1 bytes after free, 88 bytes into a block of
expect with -- wrlock: ERROR memory: write of 1 bytes after free
*/
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static struct objects { pthread_mutex_t m; pthread_cond_t c; sem_t s; pthread_rwlock_t w; int is_there; } *o;
static atomic_int freed;
static void *uses(void *a)
{
    while (!freed) {}
    if (!strcmp(a, "lock")) pthread_mutex_lock(&o->m);
    if (!strcmp(a, "signal")) pthread_cond_signal(&o->c);
    if (!strcmp(a, "post")) sem_post(&o->s);
    if (!strcmp(a, "wrlock")) pthread_rwlock_wrlock(&o->w);
    return a;
}
static void *gives(void *a)
{
    pthread_mutex_lock(&o->m);
    o->is_there = 1;
    pthread_cond_signal(&o->c);
    pthread_mutex_unlock(&o->m);
    return a;
}
static void waits(void)
{
    pthread_mutex_lock(&o->m);
    while (!o->is_there) pthread_cond_wait(&o->c, &o->m);
    pthread_mutex_unlock(&o->m);
}
int main(int argc, char **argv)
{
    pthread_t t;
    o = calloc(1, sizeof *o);
    pthread_create(&t, 0, argc > 1 ? uses : gives, argv[1]);
    if (argc == 1) waits();
    else freed = (free(o), 1);
    pthread_join(t, 0);
    if (argc == 1) free(o);
}
