/* The ordered and the breadth-first search (levels.c), its workers (expand.c) and what it leaves for later
 * (checkpoint.c). */
#ifndef HEDDLE_LEVELS_H
#define HEDDLE_LEVELS_H

#include "search/crew_int.h"
#include "search/known_int.h"
#include "search/learner_int.h"
#include "search/search_int.h"

/* Somebody's turn in a state. */
struct item {
    state_key key;
    uint8_t pid;   /* MODEL_NOBODY: everybody's */
    bool recorded; /* the state has a record */
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
    /* the step being learnt */
    bool learns;
    VEC(uint64_t) learnt;
    uint64_t *scratch;     /* a code */
    uint64_t states, transitions, errors;
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
    VEC(uint8_t) site_state;
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
    bool all_free;            /* breadth first */
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
    uint32_t why;             /* enum search_stop, STOP_NOT_YET while threads shall go on */
    bool too_many_processes;  /* for the records: begin again with wider ones */
    bool pausing;             /* threads come to rest between two states, and go on later */
    uint64_t limit_met;       /* microseconds of seconds_now() when it was found that a limit is reached, 0: none */
    double saved_at, saving_seconds; /* the last checkpoint: when it was written, and how long that took */
    bool (*asked)(void *ctx); /* by the model before this search */
    void *asked_ctx;
    struct spill spill;
    bool keep_log;
    VEC(struct log_entry) log;
    uint64_t logged_items;    /* arrivals taken from the log's front */
    uint64_t states;          /* as published */
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

static inline bool pausing(const struct levels *l) { return __atomic_load_n(&l->pausing, __ATOMIC_RELAXED); }

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
void worker_enter(struct worker *w, struct item item, const uint64_t *code, uint64_t log_entry);
void worker_expand(struct worker *w, const struct item *item, const uint64_t *code, uint64_t log_entry);
uint32_t worker_execute_set(struct worker *w, struct mask set); /* in the state that was entered */
bool worker_encode(struct worker *w, const uint8_t *state, uint32_t size, uint64_t *code); /* false: stopped */
bool worker_cannot_mark(struct worker *w, int processes); /* so many: the search is stopped */
void worker_arrive(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log);
void worker_flush(struct worker *w); /* what is on its way arrives */
uint64_t levels_found(const struct levels *l); /* states */

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

/* checkpoint.c. While threads are at work, worker 0 asks whether it is time for one. Then all come to rest, whoever
 * shares out the work calls checkpoint_write(), and they go on; or not, if a limit was reached. */
bool checkpoint_is_due(struct levels *l);
void checkpoint_write(struct levels *l);
/* What a long step of the model asks while there are checkpoints: a step that is cut could not go on later, so it is
 * given a moment. */
bool checkpoint_cuts_step(void *levels);
/* How wide codes and records are, which is to be known before the rest is loaded. False: the archive is bad. */
bool checkpoint_widths(struct archive *a, uint32_t *words, uint32_t *width, uint32_t widths);
/* Everything as it was, but for the number of threads. If that cannot be, the search is stopped. */
void checkpoint_load(struct levels *l, struct archive *a);
/* For a search that begins: who asks, and whether there are any. */
static inline const struct search_checkpoints *checkpoints_of(const struct levels *l)
{
    return l->keep_log ? NULL : l->run->opt->checkpoints;
}

#endif
