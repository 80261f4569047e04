/* How a process finds out that it is one of several, and with what it reaches the others. */
#define _GNU_SOURCE
#include "cluster/cluster_int.h"

#include "base/limits.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct cluster here;
static bool is_other, dismissed;

struct cluster *cluster_joined(void) { return here.t ? &here : NULL; }
int cluster_rank(const struct cluster *c) { return c->t->rank; }
int cluster_size(const struct cluster *c) { return c->t->size; }
int cluster_neighbours(const struct cluster *c) { return c->t->neighbours; }
int cluster_processors(void) { return MAX(processors_allowed() / (here.t ? here.t->neighbours : 1), 1); }
bool cluster_is_other(void) { return is_other; }
struct cluster_counts cluster_counts(const struct cluster *c) { return c->counts; }

/* ---- who started us ---- */

/* What launchers leave in the environment. Slurm has a number for each process, too, but only one of the others says
 * that there is a way to the rest. */
static const struct launcher { const char *rank, *size, *object; } launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "heddle_openmpi.so"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "heddle_openmpi.so"},
    {"PMI_RANK", "PMI_SIZE", "heddle_mpich.so"},
};

static int number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : -1;
}

static const struct launcher *find_launcher(void)
{
    for (size_t i = 0; i < ARRAY_LEN(launchers); i++)
        if (number_in(launchers[i].rank) >= 0 && number_in(launchers[i].size) > 1) return &launchers[i];
    return NULL;
}

static bool is_lone_task(void)
{
    return !find_launcher() && number_in("SLURM_PROCID") >= 0 && getenv("SLURM_STEP_ID") &&
           number_in("SLURM_STEP_NUM_TASKS") > 1;
}

/* Programs that this one starts are not part of the job. */
static void hide_job(void)
{
    for (size_t i = 0; i < ARRAY_LEN(launchers); i++) {
        unsetenv(launchers[i].rank);
        unsetenv(launchers[i].size);
    }
}

/* ---- joining ---- */

static void fall_silent(void)
{
    if (!freopen("/dev/null", "w", stdout)) die("cannot open /dev/null");
    keep_complaints();
}

static transport_fn *load_transport(const char *object, char **why)
{
    struct str installed = {0};
    str_printf(&installed, "../lib/heddle/%s", object);
    char *path = program_file((const char *const[]){object, installed.at}, 2);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    void *entry = library ? dlsym(library, TRANSPORT_ENTRY) : NULL;
    if (!entry) {
        struct str s = {0};
        str_printf(&s, "this process is one of several, but heddle cannot reach the others: %s",
                   path ? dlerror() : "it was built without the MPI library of this launcher");
        *why = s.at;
    }
    str_release(&installed);
    free(path);
    transport_fn *fn;
    memcpy(&fn, &entry, sizeof fn);
    return fn;
}

static const char lone_task[] = "srun started several processes that cannot reach each other: use srun --mpi=pmix or "
                                "--mpi=pmi2 (see srun --mpi=list)";

static char *refusal(int rank, char *why)
{
    if (rank > 0) exit(EXIT_BAD_INPUT); /* the first one says why */
    return why;
}

char *cluster_join(void)
{
    const struct launcher *l = find_launcher();
    if (is_lone_task()) return refusal(number_in("SLURM_PROCID"), xstrdup(lone_task));
    if (!l) return NULL;
    int rank = number_in(l->rank), size = number_in(l->size);
    char *why = NULL;
    if (size > CLUSTER_MOST) return refusal(rank, xstrdup("a job has 32,768 processes at most"));
    transport_fn *begin = load_transport(l->object, &why);
    if (!begin) return refusal(rank, why);
    supervise(rank);
    here.t = begin();
    if (!here.t) return refusal(rank, xstrdup("MPI does not start"));
    assert(here.t->rank == rank && here.t->size == size);
    is_other = rank > 0;
    if (is_other) fall_silent();
    hide_job();
    return NULL;
}

void cluster_stand_aside(void)
{
    const struct launcher *l = find_launcher();
    if (l && number_in(l->rank) > 0) exit(EXIT_OK);
    hide_job();
}

bool cluster_is_same(struct cluster *c, const void *bytes, size_t count)
{
    uint64_t hash = hash_bytes(bytes, count, 0), other;
    byte_list all = {0};
    bool same = true;
    cluster_gather(c, &hash, sizeof hash, &all);
    for (size_t i = 0; i < all.len; i += sizeof other) {
        memcpy(&other, all.at + i, sizeof other);
        same &= other == hash;
    }
    vec_release(&all);
    return same;
}

/* ---- orders ---- */

static void broadcast_order(struct cluster *c, byte_list *order)
{
    uint64_t bytes = order->len;
    cluster_broadcast(c, 0, &bytes, sizeof bytes);
    vec_reserve(order, bytes + 1);
    order->len = bytes;
    if (bytes) cluster_broadcast(c, 0, order->at, bytes);
}

void cluster_order(struct cluster *c, const void *bytes, size_t count)
{
    byte_list order = {0};
    assert(count && !is_other);
    vec_reserve(&order, count);
    memcpy(order.at, bytes, count);
    order.len = count;
    broadcast_order(c, &order);
    vec_release(&order);
}

bool cluster_await_order(struct cluster *c, byte_list *order)
{
    assert(is_other);
    vec_clear(order);
    if (dismissed) return false;
    broadcast_order(c, order);
    dismissed = !order->len;
    return !dismissed;
}

/* The first one dismisses the others, who wait for that. An order to one that is on its way out finds nobody. */
void cluster_leave(void)
{
    byte_list order = {0};
    if (!here.t) return;
    if (!is_other) broadcast_order(&here, &order);
    else if (cluster_await_order(&here, &order)) _exit(EXIT_BAD_INPUT);
    vec_release(&order);
    here.t->leave();
    here.t = NULL;
}

/* ---- what all do ---- */

void cluster_wait_until(double deadline)
{
    enum { PATIENCE = 10 }; /* seconds; the first process is the one to say so */
    here.patience = deadline + PATIENCE * (is_other ? 2 : 1);
}

static void lose_patience(void)
{
    fprintf(stderr, "heddle: a process of the job does not answer\nheddle: UNKNOWN the job was not finished\n");
    fflush(stderr);
    _exit(EXIT_UNKNOWN);
}

void cluster_wait_a_little(const struct cluster *c, uint32_t looks)
{
    enum { SPINS = 200, NAP = 50000, LONGER = 16, MOST = 20 };
    if (looks <= SPINS) { /* some 100 us; whoever has work on this machine shall have the rest */
        sched_yield();
        return;
    }
    if (c->patience > 0 && seconds_now() > c->patience) lose_patience();
    long naps = MIN(1 + (looks - SPINS) / LONGER, (uint32_t)MOST); /* a small part of what was waited for already */
    nanosleep(&(struct timespec){.tv_nsec = naps * NAP}, NULL);
}

void cluster_await(struct cluster *c, bool (*busy)(void *ctx), void *ctx)
{
    for (uint32_t looks = 0; !c->t->is_done(); looks++) {
        double began = seconds_now();
        if (busy && busy(ctx)) continue;
        cluster_wait_a_little(c, looks);
        c->counts.idle += seconds_now() - began;
    }
}

void cluster_sum(struct cluster *c, uint64_t *values, int count)
{
    c->t->sum(values, count);
    cluster_await(c, NULL, NULL);
}

void cluster_broadcast(struct cluster *c, int from, void *bytes, size_t count)
{
    c->t->broadcast(from, bytes, count);
    cluster_await(c, NULL, NULL);
}

void cluster_gather(struct cluster *c, const void *bytes, size_t count, byte_list *all)
{
    uint64_t *counts = xcalloc((size_t)c->t->size, sizeof *counts);
    size_t end = 0;
    c->t->counts(count, counts);
    cluster_await(c, NULL, NULL);
    for (int i = 0; i < c->t->size; i++) end += counts[i];
    vec_clear(all);
    vec_reserve(all, end + 1);
    all->len = end;
    if (end) {
        c->t->gather(bytes, count, all->at, counts);
        cluster_await(c, NULL, NULL);
    }
    free(counts);
}
