/* Runs litmus programs under Heddle without compiling each: the programs, one per line, are in the file that the
 * environment names in WEAK_PROGRAMS; which one is run is a choice. It says what the C of `referee --c` says, with the
 * number of the program in front. Accesses to the places are called by the names that -fsanitize=thread gives them,
 * with which the order need not be a constant; what the interpreter does beside them is not instrumented, so that it
 * costs little. The line of the environment's WEAK_UNWANTED, if any, is an assertion that fails. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../litmus.h"

unsigned heddle_nondet(unsigned n);
unsigned __tsan_atomic32_load(const volatile void *at, int order);
void __tsan_atomic32_store(volatile void *at, unsigned value, int order);
unsigned __tsan_atomic32_exchange(volatile void *at, unsigned value, int order);
unsigned __tsan_atomic32_fetch_add(volatile void *at, unsigned value, int order);
bool __tsan_atomic32_compare_exchange_strong(volatile void *at, void *found, unsigned value, int order, int failure);
void __tsan_atomic_thread_fence(int order);
void __tsan_read4(void *at);
void __tsan_write4(void *at);

#define QUIET __attribute__((no_sanitize_thread))

enum { MOST_PROGRAMS = 1000 };

static const int orders[ORDER_COUNT] = {
    [ORDER_RLX] = __ATOMIC_RELAXED, [ORDER_CON] = __ATOMIC_CONSUME, [ORDER_ACQ] = __ATOMIC_ACQUIRE,
    [ORDER_REL] = __ATOMIC_RELEASE, [ORDER_AR] = __ATOMIC_ACQ_REL, [ORDER_SC] = __ATOMIC_SEQ_CST,
};

static struct litmus programs[MOST_PROGRAMS];
static unsigned count;
static const struct litmus *chosen;
static pthread_mutex_t mutex[MAX_PLACES];
static int place[MAX_PLACES], result[MAX_THREADS][MAX_REGISTERS];

QUIET static int value_of(const int *registers, struct operand v)
{
    return v.is_register ? registers[v.n] : v.n;
}

QUIET static int plain_load(int *at)
{
    __tsan_read4(at);
    return *(volatile int *)at;
}

QUIET static void plain_store(int *at, int value)
{
    __tsan_write4(at);
    *(volatile int *)at = value;
}

QUIET static void access_place(const struct insn *c, int *registers)
{
    int *at = &place[c->place], *target = &registers[c->target_register];
    int value = value_of(registers, c->value), order = orders[c->order], found = value_of(registers, c->wanted);
    switch (c->kind) {
    case INSN_LOAD: *target = c->order == ORDER_NA ? plain_load(at) : (int)__tsan_atomic32_load(at, order); break;
    case INSN_STORE:
        if (c->order == ORDER_NA)
            plain_store(at, value);
        else
            __tsan_atomic32_store(at, (unsigned)value, order);
        break;
    case INSN_XCHG: *target = __tsan_atomic32_exchange(at, (unsigned)value, order); break;
    case INSN_ADD: *target = __tsan_atomic32_fetch_add(at, value, order); break;
    case INSN_CAS:
        __tsan_atomic32_compare_exchange_strong(at, &found, value, order, orders[c->failure]);
        *target = found;
        break;
    case INSN_LOCK: pthread_mutex_lock(&mutex[c->place]); break;
    case INSN_UNLOCK: pthread_mutex_unlock(&mutex[c->place]); break;
    case INSN_FENCE: __tsan_atomic_thread_fence(order); break;
    default: abort();
    }
}

QUIET static void *run_thread(void *arg)
{
    int t = (int)(intptr_t)arg, registers[MAX_REGISTERS] = {0}, before[MAX_REGISTERS] = {0};
    for (int pc = 0; pc < chosen->length[t];) {
        const struct insn *c = &chosen->code[t][pc];
        if (c->kind <= INSN_FENCE)
            access_place(c, registers);
        if (c->kind == INSN_LOOP)
            memcpy(before, registers, sizeof before);
        bool tests = c->kind == INSN_IF || c->kind == INSN_UNTIL;
        bool jumps = c->kind == INSN_ELSE ||
                     (tests && (registers[c->tested] == value_of(registers, c->value)) != c->is_equal);
        if (jumps && c->kind == INSN_UNTIL)
            memcpy(registers, before, sizeof registers);
        pc = jumps ? c->otherwise : pc + 1;
    }
    memcpy(result[t], registers, sizeof registers);
    return NULL;
}

QUIET static int outcome_text(char *line)
{
    int n = sprintf(line, "%d ", (int)(chosen - programs));
    for (int t = 0; t < chosen->threads; t++)
        for (int r = 0; r < MAX_REGISTERS; r++)
            if (chosen->used[t] >> r & 1)
                n += sprintf(line + n, "%d:r%d=%d ", t, r, result[t][r]);
    for (int i = 0; i < chosen->places; i++) {
        if (chosen->is_mutex[i])
            continue;
        bool is_plain = chosen->is_plain[i];
        int value = is_plain ? plain_load(&place[i]) : (int)__tsan_atomic32_load(&place[i], __ATOMIC_SEQ_CST);
        n += sprintf(line + n, "%s=%d ", chosen->place_name[i], value);
    }
    line[n - 1] = '\n';
    return n;
}

QUIET static void tell(void)
{
    char line[500];
    int n = outcome_text(line), fd = open(getenv("WEAK_OUTCOMES"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (write(fd, line, (size_t)n) != n)
        abort();
    close(fd);
    const char *unwanted = getenv("WEAK_UNWANTED");
    bool is_unwanted = unwanted && strlen(unwanted) == (size_t)n - 1 && !memcmp(line, unwanted, (size_t)n - 1);
    assert(!is_unwanted);
}

/* Before main, to whose beginning every execution goes back. */
__attribute__((constructor)) static void read_programs(void)
{
    FILE *in = fopen(getenv("WEAK_PROGRAMS"), "r");
    static char line[1 << 14];
    while (count < MOST_PROGRAMS && fgets(line, sizeof line, in)) {
        const char *at = line;
        if (litmus_parse(&programs[count++], &at))
            abort();
    }
    fclose(in);
}

int main(void)
{
    chosen = &programs[count > 1 ? heddle_nondet(count) : 0];
    memcpy(place, chosen->initial, sizeof place);
    for (int i = 0; i < MAX_PLACES; i++)
        mutex[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread[MAX_THREADS];
    for (int t = 0; t < chosen->threads; t++)
        pthread_create(&thread[t], NULL, run_thread, (void *)(intptr_t)t);
    for (int t = 0; t < chosen->threads; t++)
        pthread_join(thread[t], NULL);
    tell();
    return 0;
}
