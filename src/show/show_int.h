/* The rows between a trace and its printers: what stands in which lane, in which words, and what is folded. */
#ifndef HEDDLE_SHOW_INT_H
#define HEDDLE_SHOW_INT_H

#include "show/show.h"

enum row_kind {
    ROW_STEP,
    ROW_PART,   /* one more statement of the same step */
    ROW_OUTPUT, /* a line that the step printed */
    ROW_SWITCH, /* why its thread does not go on */
    ROW_LINE,   /* about all threads: where the cycle starts, what is left out */
    ROW_NOTE,   /* after the steps */
};
/* STALE: weak memory let it read or write what was not the newest. */
enum row_mark { MARK_NONE, MARK_QUIET, MARK_PREEMPTION, MARK_FAILURE, MARK_STALE, MARKS };

struct row {
    enum row_kind kind;
    enum row_mark mark;
    bool folded;              /* a repetition of what stands above */
    long step;                /* from 1; that of the step which it belongs to, 0: none */
    int thread;               /* its lane, -1: none */
    const char *text, *place; /* place: "" if there is none */
    const char *file;         /* NULL if there is none */
    int line;
};

struct rows {
    struct arena arena;
    VEC(struct row) list;
};

/* Repetitions are left out, or kept and marked as folded; `show_all` is printed where the middle was left out. */
struct row_options {
    size_t most_steps;
    const char *show_all;
    bool keep_folded;
};
void rows_init(struct rows *r, const struct trace *t, struct row_options o);
void rows_release(struct rows *r);

/* In the column of user:1, "user(1):x" is just x. */
const char *short_name(const char *thread, const char *name);

/* What one step has to do with an earlier one of another thread. */
enum arrow_kind { ARROW_RENDEZVOUS, ARROW_MESSAGE, ARROW_LOCK, ARROW_CREATE, ARROW_JOIN, ARROW_WAKE, ARROW_KINDS };
struct arrow {
    enum arrow_kind kind;
    size_t from, to; /* steps, from 0 */
    int from_thread, to_thread;
    const char *label;
};
struct arrows {
    struct arena arena;
    VEC(struct arrow) list;
};
void arrows_init(struct arrows *a, const struct trace *t);
void arrows_release(struct arrows *a);
const char *arrow_name(enum arrow_kind kind);

/* What a step does to an object that others wait for, as far as its words tell. */
enum sync {
    SYNC_NONE, SYNC_ACQUIRE, SYNC_RELEASE, SYNC_WAIT, SYNC_WAKE, /* these change what a thread holds */
    SYNC_SIGNAL, SYNC_CREATE, SYNC_JOIN, SYNC_POST, SYNC_TAKE, SYNC_ARRIVE, SYNC_LEAVE
};
enum sync sync_of_action(const char *action, const char **object); /* object: the rest of the action */

const char *page_text(void); /* the page, with holes for what a trace fills in */
void page_print(const struct trace *t, FILE *out, struct picture_style style);
void svg_print(const struct trace *t, FILE *out, struct picture_style style);
void mermaid_print(const struct trace *t, FILE *out, struct picture_style style);
void dot_print(const struct trace *t, FILE *out, struct picture_style style);

/* "ERROR assertion: x == 2 (1 preemption, 4 steps)" */
void add_headline(struct str *s, const struct trace *t);

#endif
