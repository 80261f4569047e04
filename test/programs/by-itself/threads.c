/* Run by itself, after heddle cc: real threads (two of them wait in the system while others go on), the real clock, signals from outside,
 * and atomic operations that are. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 20000 };
static atomic_int counter;
static _Atomic short small;
static volatile sig_atomic_t got;
static sem_t counted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, locked, fds[2];

static void on_signal(int s) { got = s; }

static void *work(void *number)
{
    char byte;
    for (int i = 0; i < ROUNDS; i++) {
        counter++;
        small++;
        pthread_mutex_lock(&mutex);
        locked++;
        pthread_mutex_unlock(&mutex);
        free(realloc(malloc(10), 100));
    }
    sem_post(&counted);
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    if ((long)number > 1) assert(read(fds[0], &byte, 1) == 1);
    return number;
}

int main(void)
{
    pthread_t t[THREADS];
    struct timespec before, after;
    assert(!pipe(fds) && !sem_init(&counted, 0, 0));
    signal(SIGALRM, on_signal);
    for (long i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) sem_wait(&counted);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &before);
    usleep(20000);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >= 20000000);
    ualarm(1000, 0);
    while (!got) usleep(1000);
    assert(got == SIGALRM && write(fds[1], "xy", 2) == 2);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    assert(counter == THREADS * ROUNDS && small == (short)(THREADS * ROUNDS) && locked == THREADS * ROUNDS);
    puts("fine");
    return 0;
}
