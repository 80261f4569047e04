/* Detached threads one after the other: more than there are numbers. With many, the ended count as joined.
 * expect with --explore=random --executions=3 -- 3000: UNKNOWN no error in the 3 schedules explored
 * expect with --explore=random --executions=3 -- 3000 self: UNKNOWN no error in the 3 schedules explored
 * expect with --explore=dpor -- 34: BOUNDED no error in any schedule, as far as it is under control
 * expect with -b 0 -- 300: BOUNDED no error in any schedule, as far as it is under control
 * warns: pthread_create: detached threads that have ended are taken for joined when there are many
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t done;
static int turns;
static int by_itself;

static void *once(void *a)
{
    if (by_itself) pthread_detach(pthread_self());
    turns++;
    sem_post(&done);
    return a;
}

int main(int argc, char **argv)
{
    int count = atoi(argv[1]);
    pthread_attr_t attr;
    by_itself = argc > 2;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sem_init(&done, 0, 0);
    for (int i = 0; i < count; i++) {
        pthread_t t;
        assert(!pthread_create(&t, by_itself ? NULL : &attr, once, NULL));
        sem_wait(&done);
        assert(turns == i + 1);
    }
}
