/* Teams of OpenMP, for gcc's calls (openmp.c) and for clang's (kmpc.c). */
#ifndef HEDDLE_RUNTIME_OPENMP_INT_H
#define HEDDLE_RUNTIME_OPENMP_INT_H

#include "runtime/internal.h"

enum { OMP_WORKS = 8 };

/* A loop or sections that a team shares; several at once if threads do not wait for each other. */
struct work { unsigned number; long next, end, step, chunk; bool guided, single_taken; void *copied; };

struct team {
    void (*body)(void *);
    void *data;
    unsigned size;
    pthread_barrier_t barrier;
    pthread_mutex_t mutex;
    struct work works[OMP_WORKS];
};

struct member {
    struct team *team;
    unsigned number, works;
    unsigned pushed;     /* clang: threads of the next region */
    struct alone *alone; /* same: the region with one thread that it is in */
};

struct member *omp_me(void);
void omp_parallel(void (*body)(void *), void *data, unsigned threads, const struct work *first);
struct work *omp_work_begin(const struct work *as); /* the one that this thread comes to next */
struct work *omp_work_now(void);
struct work omp_loop(long start, long end, long step, long chunk, bool guided); /* end: the first that is out */
bool omp_take_chunk(struct work *w, long *from, long *to);
bool omp_is_first(struct work *w);
void omp_wait_for_team(void);
void omp_note_task(void); /* it runs at once, and the library could have deferred it */

#define API(type, name, ...) \
    type name(__VA_ARGS__); \
    EXPORT type name(__VA_ARGS__)
/* The library's own would not know of the team. */
#define OUTSIDE(name) \
    API(void, name, void) { rt_die("the program uses a part of OpenMP that is not under control: " #name); }

#endif
