/* What carries bytes between the processes of a job. Implemented by shared objects (mpi.c), one for each library, which
 * export heddle_transport(). Internal to src/cluster.
 *
 * One thread calls all of it. Of sum, sum_for_each, broadcast, counts and gather one is under way at a time, and all
 * processes begin the same ones in the same order; what was given stays where it is until is_done(). */
#ifndef HEDDLE_TRANSPORT_H
#define HEDDLE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct transport {
    int rank, size;
    int neighbours; /* processes on this machine */
    /* Begins to send. `slot` names it until is_sent(); there are as many as were asked for. */
    void (*slots)(int count);
    void (*send)(int slot, int to, const void *bytes, size_t count);
    bool (*is_sent)(int slot);
    size_t (*receive)(void *into, size_t room); /* bytes of what has come, 0: nothing */
    size_t (*waiting)(int *from); /* bytes of what receive() would get */
    void (*sum)(uint64_t *values, int count);
    void (*sum_for_each)(const uint64_t *by_process, uint64_t *mine); /* mine: what all have for this one */
    void (*broadcast)(int from, void *bytes, size_t count);
    void (*counts)(uint64_t mine, uint64_t *of_all);
    void (*gather)(const void *mine, size_t count, void *all, const uint64_t *counts);
    bool (*is_done)(void);
    void (*leave)(void);
};

/* NULL: it does not work here. */
typedef const struct transport *transport_fn(void);
#define TRANSPORT_ENTRY "heddle_transport"

#endif
