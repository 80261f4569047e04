/* The limit of the machine for a search: a loop that does nothing but what a search cannot do without, one access to a random
 * cache line of a table for each transition, so many of them under way at a time.
 *
 *     cc -O2 -o accesses accesses.c && ./accesses [MEGABYTES [THREADS]]
 *
 * Prints nanoseconds of processor time for each access, by how far ahead lines are asked for. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, ACCESSES = 4000000, HUGE_PAGE = 2 << 20 };

static uint8_t *table;
static uint64_t lines;

struct job { pthread_t thread; uint64_t first; unsigned ahead; double seconds; uint64_t sum; };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const uint8_t *line_of(uint64_t i)
{
    i = (i ^ i >> 31) * UINT64_C(0x2545f4914f6cdd1d);
    i = (i ^ i >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return table + LINE * (uint64_t)((unsigned __int128)(i ^ i >> 32) * lines >> 64);
}

static void *work(void *ctx)
{
    struct job *j = ctx;
    double began = now();
    for (uint64_t i = j->first; i < j->first + ACCESSES; i++) {
        if (j->ahead) __builtin_prefetch(line_of(i + j->ahead));
        j->sum += *(const volatile uint64_t *)line_of(i);
    }
    j->seconds = now() - began;
    return NULL;
}

int main(int argc, char **argv)
{
    size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 256) << 20;
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    struct job *jobs = calloc((size_t)threads, sizeof *jobs);
    uint8_t *p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || !jobs) return 1;
    table = (uint8_t *)(((uintptr_t)p + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    lines = bytes / LINE;
    madvise(table, bytes, MADV_HUGEPAGE);
    memset(table, 1, bytes);
    for (unsigned ahead = 0; ahead <= 32; ahead = ahead ? 2 * ahead : 4) {
        double all = 0;
        for (int i = 0; i < threads; i++) {
            jobs[i] = (struct job){.first = (uint64_t)i << 40, .ahead = ahead};
            if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i])) return 1;
        }
        for (int i = 0; i < threads; i++) {
            pthread_join(jobs[i].thread, NULL);
            all += jobs[i].seconds;
        }
        printf("%zu MB, %d threads, %u ahead: %.1f ns\n", bytes >> 20, threads, ahead, 1e9 * all / threads / ACCESSES);
    }
    return 0;
}
