/* The counterexample: one model for all engines, all printers and all viewers (doc/trace-format.md).
 *
 * An engine fills a trace by replaying its schedule, step by step; everything that is counted or marked on a trace
 * (switches, preemptions) is computed here from the steps alone, so that a search cannot misreport itself.
 * All strings live in the trace's arena. */
#ifndef HEDDLE_TRACE_H
#define HEDDLE_TRACE_H

#include "base/base.h"

struct trace_change { const char *name, *value; };
typedef VEC(struct trace_change) trace_changes;
typedef VEC(int) trace_numbers;

/* One statement of a step that consists of several (an atomic sequence, both sides of a rendezvous). */
struct trace_part { int thread; const char *file; int line; const char *action; };

/* Who made a step of the program, and which of its outcomes was taken. */
struct trace_pick { int thread; uint32_t choice; };

/* A call that had not returned: where it is in its function. */
struct trace_frame { const char *function, *file; int line; };

struct trace_step {
    int thread;             /* index into threads */
    int last;               /* the thread that moved last in it: thread unless control was handed over in the step */
    int partner;            /* the other thread of a rendezvous, or -1 */
    const char *file;       /* source position, NULL if none */
    int line;
    const char *action;     /* the statement or operation as text; all parts, if there are several */
    VEC(struct trace_part) parts; /* empty if there is only one */
    const char *output;     /* what it printed, or NULL */
    trace_changes changes;  /* what it changed */
    trace_numbers wakes;        /* threads that waited for it: woken by a signal, or for the lock that it gives back */
    bool previous_enabled;  /* the thread of the step before could have gone on here */
    bool brief;             /* one of very many: only what it takes to replay it, and a text */
    bool ended;             /* its thread ended with it */
    bool stale, early;      /* weak memory: it read a write that was not the newest; its write was put before another */
    bool spurious;          /* a wake-up without a signal, or a compare-exchange that failed for no reason */
    int64_t choice;         /* engine's own: which step to take when replaying */
    VEC(struct trace_pick) picks; /* native: the schedule from the step before up to this one, which may be several
                                     steps of the program; the last step also has those after it */
    trace_numbers stack;    /* indices into frames, innermost first; empty: it is not inside of a call */
    VEC(int64_t) detail;    /* engine's own: more to replay with (e.g. ids in a Spin trail) */
};

struct trace_thread { const char *name; };

struct trace {
    struct arena arena;
    const char *input, *input_hash, *engine;
    const char *given;                     /* what the input was called, if that is not what it is called here */
    const char *text;                      /* of the input, if there is no file to read it from again; else NULL */
    bool needs_trust;                      /* for the printed command only: what replays it finds out by itself */
    const char *kind, *message, *location; /* of the error; location is file:line or NULL */
    VEC(const char *) options;             /* the words after `heddle check` needed to replay */
    VEC(struct trace_thread) threads;
    VEC(struct trace_step) steps;
    VEC(struct trace_frame) frames;        /* of the stacks of all steps, each once */
    struct map frame_numbers;
    VEC(uint64_t) points;                  /* native: code addresses at which plain accesses are steps */
    long at_least;                         /* every schedule to an error has so many preemptions, and it is not known
                                              whether this many are needed; -1: nothing is known beyond its own */
    long cycle_start;                      /* first step of the cycle, -1: not a lasso */
    trace_changes final_state;             /* optional: all values at the end */
    struct trace *other;                   /* a run that passes, to compare with (threads and steps only), or NULL */
    VEC(const char *) notes;               /* lines for the reader after the steps, e.g. who waits for whom */
};

struct trace_counts { long steps, switches, preemptions, stale_reads, early_writes, spurious; };

struct trace *trace_new(void);
void trace_free(struct trace *t);
struct trace_step *trace_step_add(struct trace *t, int thread); /* valid until the next call */
void trace_change_add(struct trace *t, struct trace_step *s, const char *name, const char *value); /* copies */
void trace_part_add(struct trace *t, struct trace_step *s, struct trace_part part); /* copies */
int trace_thread_add(struct trace *t, const char *name);        /* copies; returns its index */
/* Adds the next outer frame to the stack of a step; copies. */
void trace_frame_add(struct trace *t, struct trace_step *s, struct trace_frame frame);
struct trace_counts trace_count(const struct trace *t);
char *trace_count_words(const struct trace *t); /* "1 preemption, 1 stale read, 9 steps" (heap) */
bool trace_step_is_preemption(const struct trace *t, size_t step);
bool trace_step_is_switch(const struct trace *t, size_t step);

/* The schedule as one word (heap), NULL if traces of its engine have none; and the other way round: fills kind, cycle
 * and steps of a trace whose engine is set, false if it is no such word. */
char *trace_schedule_text(const struct trace *t);
bool trace_take_schedule(struct trace *t, const char *text);

/* JSON on disk. Writing returns -1 with errno; reading returns NULL and a message in *error (heap, caller frees).
 * A trace that was read keeps every promise above, whatever the file says: threads, lines and counts are in range, the
 * strings that must be there are, the kind is a word. Whether it fits a model or program its engine must find out. */
enum { TRACE_FORMAT = 1 };
int trace_write(const struct trace *t, const char *path); /* 0, or -1 with errno and no file */
void trace_print_json(const struct trace *t, FILE *out);  /* the same text */
char *trace_to_json(const struct trace *t); /* heap */
struct trace *trace_read(const char *path, char **error);
struct trace *trace_of_json(const char *path, const char *text, size_t len, char **error); /* path: for messages */

#endif
