/* The ordered and the breadth-first search (levels.c), its workers (expand.c, forced.c) and what it leaves for later
 * (checkpoint.c). */
#ifndef HEDDLE_LEVELS_H
#define HEDDLE_LEVELS_H

#include "search/checkpoint_int.h"
#include "search/crew_int.h"
#include "search/known_int.h"
#include "search/learner_int.h"
#include "search/ranks_int.h"
#include "search/search_int.h"

/* Somebody's turn in a state. */
struct item {
    state_key key;
    uint8_t pid;   /* MODEL_NOBODY: everybody's */
    bool recorded; /* the state has a record */
    bool no_ample; /* it is known that no process is independent in it */
} __attribute__((packed));

enum { CHUNK_ITEMS = 256 };
struct chunk {
    uint32_t len, next; /* next: those before it are done */
    bool spilled;       /* its items are in a file, and there is no room for them here */
    int file;
    uint64_t at;
    struct item *items;
    uint64_t *codes;    /* of the states, if keys do not say them */
};
typedef VEC(struct chunk *) chunk_list;

/* Two files: what one round finds is written to one while what the last one found is read from the other. */
struct spill { bool is_open; int file[2]; uint64_t end[2]; };

/* The step by which a state was entered, from the arrival with number `from`. */
struct log_entry { uint64_t from; uint32_t nth; int pid; };
enum { NO_STEP = -1, SAME_STATE = -2 }; /* instead of a process: the beginning; another turn in a state */

/* Successors on their way to being known: a part of the known ones is asked about many at a time. */
enum { OUTBOX = 64 };
struct outbox { uint32_t len; struct arriving at[OUTBOX]; };

/* A successor that is looked at once the state that it comes from is done with (forced.c). */
struct successor_code { uint16_t last, processes; struct log_entry log; };

/* What could not be done because the book (codes_int.h) lacks a value, until all processes have added it: the steps of
 * a process in a state, or the way from a state on. Its code is beside it. */
struct postponed {
    uint64_t log_entry;
    struct successor_code way;
    uint8_t pid;
    bool is_way, timeout, ample;
};
struct postponements { VEC(struct postponed) list; VEC(uint64_t) codes; };

/* Where the way from a state ends that has been gone lately. */
struct way {
    uint64_t from, to;
    uint16_t processes, steps; /* FORCED_MOST: it ends where there is nothing to decide, and only one from there does */
    uint8_t last;
    bool no_ample, is_set;
};

/* Whether steps of a process are worth looking up: how often that was tried lately, and how often they were there. */
enum { HABIT_TRIED = 256, HABIT_SAMPLE = 16, HABIT_WORTHWHILE = 4 };
struct habit { uint16_t tried, found; uint8_t skipped; bool skips; };

/* What is hardly ever remembered is not looked up but now and then, to see whether that has changed. */
static inline bool skips_lookup(struct habit *h) { return h->skips && ++h->skipped % HABIT_SAMPLE; }

static inline void note_lookup(struct habit *h, bool found)
{
    h->found += found;
    if (++h->tried < HABIT_TRIED) return;
    h->skips = h->found * HABIT_WORTHWHILE < HABIT_TRIED;
    h->tried = h->found = 0;
}

struct levels;
struct worker {
    struct levels *l;
    struct model *m;
    struct learner learner;
    chunk_list found;      /* for the next round */
    VEC(struct chunk *) spare;
    struct tree_reader reader; /* of codes that are longer than a key */
    struct tree_batch batch;
    struct arriving asking[TREE_BATCH];     /* whose keys it will find */
    struct log_entry asking_by[TREE_BATCH]; /* if there is a log */
    struct outbox outbox[KNOWN_PARTS];
    uint64_t *outbox_codes;    /* of all outboxes, if keys do not say them */
    struct log_entry *outbox_by; /* if there is a log */
    VEC(struct successor_code) pending;
    VEC(uint64_t) pending_codes;
    uint64_t *ahead, *anchor, *begin; /* codes, while a way is followed */
    struct way *ways;          /* WAYS of them, if states can be forced and codes have one word */
    uint32_t way_steps;        /* in all ways */
    int busy[2];               /* processes that could move where something was to be decided lately */
    struct habit habits[MODEL_MOST_PROCESSES], new_states; /* by process; in states that are not known yet */
    struct habit forced;       /* how many of these are forced */
    uint64_t round;            /* at work in, and how often the memory of steps had been full before it */
    uint32_t overflows;
    bool overflowing;          /* it was full again and again in the round before: what is learnt is soon forgotten */
    bool no_ample;             /* no process is independent in the state that was looked at last */
    /* the step being learnt */
    bool learns;
    VEC(uint64_t) learnt;
    uint64_t *scratch;     /* a code */
    /* of several processes */
    bool misses;           /* a value, in what is being done */
    struct postponements postponed;
    uint64_t *told;        /* what was sent to another process lately: it need not be told twice (ranks.c) */
    uint64_t states, transitions, arrivals, errors;
    uint32_t looks;
    /* the state being expanded */
    struct item item;
    int processes;
    bool timeout, ample;
    uint32_t nth;
    uint64_t log_entry;
    /* the least error of this round */
    bool has_error;
    struct error_site site;
    byte_list site_state;
} __attribute__((aligned(64)));

struct levels {
    struct run *run;
    struct codebook *book;
    uint32_t words, width;    /* of a code; which of the widths records have */
    struct tree *tree;        /* of codes with more than one; else NULL */
    bool carries;             /* keys are hashes, and states on their way have their code with them */
    struct known *known;
    struct crew *crew, *alone; /* all workers; the first */
    struct worker *workers;
    int count;
    bool alone_at_work;       /* there is one worker */
    bool all_free;            /* breadth first */
    bool forces;              /* forced states are passed by (reduction.c) */
    bool asks_first;          /* only successors that are not known yet are followed: keys say what they are */
    chunk_list round;         /* being expanded */
    uint32_t share;           /* items in a chunk */
    uint64_t level_states;    /* found before this level began */
    uint64_t found_by[2 * RECENT_ROUNDS + 1]; /* states after the last rounds of this level, the latest first */
    uint32_t level_rounds;
    uint64_t rounds;
    int64_t level;
    bool between;             /* levels: what was put aside is being expanded */
    bool mid_round;           /* the round was begun by another process */
    uint64_t left;            /* states with processes for the next level */
    int64_t told;             /* the highest level that was told about before this search began again, -1: none */
    uint32_t why;             /* enum search_stop, STOP_NOT_YET while threads shall go on */
    bool too_many_processes;  /* for the records: begin again with wider ones */
    struct checkpointing checkpoints;
    bool (*asked)(void *ctx); /* by the model before this search */
    void *asked_ctx;
    struct spill spill;
    bool keep_log;
    VEC(struct log_entry) log;
    uint64_t logged_items;    /* arrivals taken from the log's front */
    uint64_t states;          /* as published */
    /* of several processes (ranks.c) */
    struct cluster *cluster;  /* NULL: there is one */
    struct exchange *exchange;
    int rank, ranks;
    uint32_t looks;           /* at what has come */
    bool has_told;            /* the others know that this one has stopped */
    struct totals {           /* of all processes, when they last were at the same place */
        uint64_t items, states, transitions, with_error, full;
    } all;
    uint64_t states_elsewhere, transitions_elsewhere; /* then */
    uint8_t *message;         /* an item of the exchange */
};

static inline void stop(struct levels *l, enum search_stop why)
{
    uint32_t not_yet = STOP_NOT_YET;
    __atomic_compare_exchange_n(&l->why, &not_yet, (uint32_t)why, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline bool stopped(const struct levels *l)
{
    return __atomic_load_n(&l->why, __ATOMIC_RELAXED) != STOP_NOT_YET;
}

static inline bool pausing(const struct levels *l)
{
    return __atomic_load_n(&l->checkpoints.pausing, __ATOMIC_RELAXED);
}

/* Processes that marks have room for. */
enum { WIDTHS = 4 };
static inline int most_processes(const struct levels *l)
{
    static const int widths[WIDTHS] = {10, 26, 58, MODEL_MOST_PROCESSES};
    return widths[l->width];
}

/* expand.c */
enum { LOOK_EVERY = 16 }; /* states */
void worker_look(struct worker *w); /* worker 0 looks at the limits for all */
/* code: if keys do not say it. */
void worker_arrive_settled(struct worker *w, uint64_t code, int last, int processes); /* where asks_first */
void worker_enter(struct worker *w, struct item item, const uint64_t *code, uint64_t log_entry);
void worker_expand(struct worker *w, const struct item *item, const uint64_t *code, uint64_t log_entry);
uint32_t worker_execute_set(struct worker *w, struct mask set); /* in the state that was entered */
bool worker_encode(struct worker *w, const uint8_t *state, uint32_t size, uint64_t *code); /* false: stopped */
bool worker_cannot_mark(struct worker *w, int processes); /* so many: the search is stopped */
void worker_arrive(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log);
void worker_flush(struct worker *w); /* what is on its way arrives */
uint64_t levels_found(const struct levels *l); /* states */
/* Of those that are being learnt. */
void worker_note_step(struct worker *w, const uint64_t *code, int last, int processes);
void worker_learn(struct worker *w, int pid, uint32_t steps);
bool worker_error_is_less(const struct worker *a, const struct worker *b);

bool worker_cannot_encode(struct worker *w); /* after worker_encode(): the book lacks values; what is done is put off */
void worker_postpone_way(struct worker *w, const uint64_t *code, const struct successor_code *way);
void worker_redo(struct worker *w, const struct postponed *p, const uint64_t *code);
void worker_arrive_here(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log);

/* ranks.c. States belong to processes by their hash; those of others are sent to them. */
void ranks_begin(struct levels *l); /* after the workers */
void ranks_end(struct levels *l);
/* False: the state is this process's own. */
bool ranks_send(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log);
/* The same of a code of one word, where there is no log. */
bool ranks_send_word(struct worker *w, uint64_t code, state_key key, int last, int processes);
void ranks_look(struct levels *l); /* by worker 0, now and then */
void ranks_tell_pause(void *levels);
/* All processes are done with a piece of work: everything has arrived, they have the same values and reasons to stop.
 * True: it is to be gone on with after a rest. */
bool ranks_settle(struct levels *l);
void ranks_merge_errors(struct levels *l); /* the least of all processes' is everybody's worker 0's */
uint64_t ranks_sum(struct levels *l, uint64_t value); /* and whether somebody has stopped */
struct log_entry ranks_log_entry(struct levels *l, uint64_t at);
/* Numbers of entries of logs have the process in front. */
enum { RANK_SHIFT = 48 };

/* forced.c. A successor that may be forced is put aside; when the state at work is done with, the successor is followed
 * to where something is to be decided, and arrives there. */
void worker_defer(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log);
void worker_settle(struct worker *w);
void worker_enter_code(struct worker *w, const uint64_t *code); /* of a state without an item */
void worker_forced_init(struct worker *w);
void worker_forced_release(struct worker *w);

/* chunks.c */
static inline size_t chunk_bytes(const struct levels *l)
{
    return sizeof(struct chunk) + CHUNK_ITEMS * (sizeof(struct item) + (l->carries ? l->words * sizeof(uint64_t) : 0));
}
struct chunk *chunk_new(struct levels *l); /* NULL: no memory, and the search is stopped */
void chunk_free(struct levels *l, struct chunk *c);
void spill_open(struct levels *l);
void spill_close(struct levels *l);
bool spill_is_due(const struct levels *l); /* memory has become scarce, and there is a place for files */
struct chunk *chunk_spill(struct levels *l, struct chunk *c); /* what is to be kept instead; c itself if it cannot be */
/* What a spilled chunk has, into one of memory. False: it cannot be read, and the search is stopped. */
bool chunk_read(struct levels *l, const struct chunk *stub, struct chunk *to);
void spill_end_round(struct levels *l);

/* levels_saved.c: what is to be known before the rest is loaded (how wide codes and records are, how many processes it
 * was, and which of their checkpoints it is), and the rest. */
struct levels_head { uint32_t words, width, processes; uint64_t serial; };
void levels_put_head(void *levels, struct archive *a);
void levels_put(void *levels, struct archive *a);
bool levels_get_head(struct archive *a, struct levels_head *h); /* false: the archive is bad */
/* Everything as it was, but for the number of threads and processes. If that cannot be, the search is stopped. */
void levels_get(struct levels *l, struct archive *a, struct levels_head h);
struct known_plan levels_known_plan(const struct levels *l);
/* For a search that begins: who asks, and whether there are any. */
static inline const struct search_checkpoints *checkpoints_of(const struct levels *l)
{
    return l->keep_log ? NULL : l->run->opt->checkpoints;
}

#endif
