/* Starting and joining threads, for the programs of this folder. */
#ifndef THREADS_H
#define THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t started[128];
static int start_count;

static inline void start(void *(*act)(void *), void *argument)
{
    assert(start_count < 128);
    pthread_create(&started[start_count++], NULL, act, argument);
}

static inline void join_all(void)
{
    for (int i = 0; i < start_count; i++) pthread_join(started[i], NULL);
    start_count = 0;
}

#endif
