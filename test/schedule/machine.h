/* Made-up concurrent programs in memory: a tiny language, its interpreter and its text form.
 *
 * The interpreter is written without a look at src/schedule's model of the objects: the tests compare the two. It says
 * for every step what was touched (struct touch), from which the referee computes its own happens-before order. */
#ifndef HEDDLE_TEST_MACHINE_H
#define HEDDLE_TEST_MACHINE_H

#include "schedule/schedule.h"

enum { MAX_THREADS = 16, MAX_CODE = 40, VARS = 128, OBJECTS = 4, REGS = 3, MAX_STEPS = 200 };
/* Of channels the first holds little, the second little and keeps together what was put in at once, the third all. */
enum { CHANNEL_SMALL, CHANNEL_MESSAGES, CHANNEL_LARGE, CHANNELS, SMALL = 3, CHANNEL_BYTES = 64 };

/* Instruction: name, number of arguments. V variable, M mutex, W rwlock, C condition, S semaphore, B barrier,
 * R register, K constant, Q channel */
#define INSTRUCTIONS(X) \
    X(load, 2)      /* V R: R = V */ \
    X(store, 2)     /* V K: V = K */ \
    X(storereg, 3)  /* V R K: V = R + K */ \
    X(add, 3)       /* V K R: R = V, V += K */ \
    X(cas, 4)       /* V K L R: R = (V == K), if so V = L */ \
    X(load2, 2)     /* V R: R = V + 16 * (the variable after V), one access of 8 bytes */ \
    X(store2, 2)    /* V K: V and the one after it = K, one access of 8 bytes */ \
    X(loadat, 3)    /* R V S: S = variable number V + R */ \
    X(exchange, 3)  /* V K R: R = V, V = K */ \
    X(cas2, 4)      /* V K L R: R = (V and the one after it are K), if so both = L, in one access; V is even */ \
    X(casat, 3)     /* R K S: S = (variable number R modulo 128 is 0), if so it becomes K */ \
    X(lock, 1) X(unlock, 1) X(trylock, 2) /* M R: R = success */ \
    X(rdlock, 1) X(rdunlock, 1) X(tryrdlock, 2) X(wrlock, 1) X(wrunlock, 1) X(trywrlock, 2) \
    X(wait, 2)      /* C M */ \
    X(timedwait, 3) /* C M R: R = not timed out; it stops waiting, and then locks M again */ \
    X(earlywait, 3) /* C M R: as wait, and may go on by itself when M is free; R = was woken */ \
    X(signal, 1) X(broadcast, 1) \
    X(semwait, 1) X(semtry, 2) X(sempost, 1) X(semread, 2) \
    X(barrier, 2)   /* B R: R = was the first to leave */ \
    X(arrive, 1)    /* B: as barrier, without a look at the result */ \
    X(yield, 0) \
    X(choose, 2)    /* K R: R = 0 .. K-1 */ \
    X(surprise, 1)  /* R: R = whether something happens for no reason, which it does once in an execution at most */ \
    X(assert, 2)    /* R K: fails if R != K; the thread goes on */ \
    X(assume, 2)    /* R K: if R != K the thread never goes on */ \
    X(skipeq, 3)    /* R K N: if R == K leave out the next N */ \
    X(skipne, 3)    \
    X(skipgt, 3)    /* R K N: if R > K leave out the next N */ \
    X(backne, 3)    /* R K N: if R != K go back N instructions before this one */ \
    X(set, 2)       /* R K */ \
    X(addreg, 2)    /* R K: R += K */ \
    X(sub, 2)       /* R S: R -= S */ \
    X(await, 2)     /* V K: spins until V == K */ \
    X(create, 1) X(join, 1) \
    X(global, 0)    /* depends on everything */ \
    X(quit, 0)      /* ends the program, when nobody else can go on */ \
    X(seminit, 2)   /* S K */ \
    X(put, 3)       /* Q K N: N bytes with value K, when all of them fit */ \
    X(putsome, 4)   /* Q K N R: R = as many of them as fit now */ \
    X(take, 3)      /* Q N R: R = at most N bytes, when there are some */ \
    X(taketry, 3)   /* Q N R: the same, or 0 */ \
    X(peek, 2)      /* Q R: R = there is something */ \
    X(peekwait, 1)  /* Q: when there is something */ \
    X(wrlockfirst, 1) /* W: as wrlock, and holds back those below from when it is called */ \
    X(rdlocklast, 1) X(tryrdlocklast, 2)
enum insn_kind {
#define INSN_ENUM(name, args) I_##name,
    INSTRUCTIONS(INSN_ENUM)
#undef INSN_ENUM
    INSN_COUNT
};

struct insn { uint8_t kind; int8_t arg[4]; };
struct program {
    int threads, vars;              /* vars: how many variables are used */
    uint32_t created;               /* threads that wait for a create */
    int sem[OBJECTS], barrier[OBJECTS];
    int len[MAX_THREADS];
    struct insn code[MAX_THREADS][MAX_CODE];
    bool hides_words;               /* the strategies are not told what memory holds */
    bool tells_rounds;              /* they are told that arrivals of one round commute */
    bool tells_stores;              /* they are told what stores write: one that changes nothing only reads */
};

struct machine {
    const struct program *program;
    int8_t var[VARS + 4], mutex[OBJECTS], writer[OBJECTS], readers[OBJECTS], waiters[OBJECTS], sem[OBJECTS];
    uint16_t waiting[OBJECTS], arrived[OBJECTS];
    int8_t rounds[OBJECTS]; /* that were complete */
    int8_t channel[CHANNELS][CHANNEL_BYTES]; /* all that was put in so far: values, marked where a message begins */
    int8_t written[CHANNELS], taken[CHANNELS];
    struct { int8_t pc, phase, stale, news, reg[REGS]; } thread[MAX_THREADS];
    struct { uint16_t mates; int8_t round, asks, left; } at_barrier[MAX_THREADS];
    uint32_t live, woken, failed; /* failed: bit per thread */
    int surprises;
    bool ended;
    uint64_t partly[VARS / 64]; /* bit per variable: some write covers a part of the eight bytes around it */
};
/* phase WAITS: on a condition or barrier, LOCKS_AGAIN: waits no more, and is about to lock the mutex;
 * at_barrier: the round, who is in it, whether any of them asks which is the first to leave, whether one has left;
 * stale: an await that saw the wrong value; news: which was changed since */
enum { WAITS = 1, LOCKS_AGAIN };

enum { MOST_SURPRISES = 1 };
enum { TOUCH_GLOBAL = 1, TOUCH_VAR = 100, TOUCH_MUTEX = 300, TOUCH_RW = 310, TOUCH_COND = 320, TOUCH_SEM = 330,
       TOUCH_BARRIER = 340, TOUCH_TOKEN = 400, TOUCH_PUTTING = 460, TOUCH_TAKING = 470, TOUCH_BYTES = 480,
       TOUCH_FIRST = 700, TOUCH_ARRIVAL = 1000 };
enum { ROUNDS = 64 };
struct touch {
    bool ends_thread;
    int arrives, round;     /* 1 + barrier, 0: no arrival; rounds that were complete */
    int count;
    uint64_t all, writes; /* sets of `what` modulo 61: where these are disjoint nothing is in common */
    struct { int what; bool write; } at[24];
};

void machine_reset(struct machine *m, const struct program *p);
void machine_op(const struct machine *m, int t, struct sched_op *op);
bool machine_enabled(const struct machine *m, int t);
void machine_view(const struct machine *m, struct sched_view *view);
void machine_step(struct machine *m, int t, uint32_t choice, struct sched_outcome *outcome, struct touch *touch);

void program_print(const struct program *p, char *out, size_t size);
bool program_parse(struct program *p, const char *text); /* false: bad text */
bool program_fits_c(const struct program *p); /* has no instruction that cannot be printed as C */
void program_print_c(const struct program *p, char *out, size_t size);
void program_generate(struct program *p, uint64_t seed); /* the same seed, the same program */
void program_generate_large(struct program *p, uint64_t seed); /* too large for the referee */
void program_generate_surprises(struct program *p, uint64_t seed);
void program_generate_compare(struct program *p, uint64_t seed);
void program_generate_cyclic(struct program *p, uint64_t seed); /* with loops that yield */
void program_generate_cyclic_rounds(struct program *p, uint64_t seed); /* and barriers */
void program_generate_channels(struct program *p, uint64_t seed);
void program_generate_waiting(struct program *p, uint64_t seed);
void program_generate_writers_first(struct program *p, uint64_t seed);
void program_generate_rounds(struct program *p, uint64_t seed); /* with barriers, which the strategies are told of */
void program_generate_stores(struct program *p, uint64_t seed); /* with few values, which the strategies are told */

#endif
