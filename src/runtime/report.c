/* What the runtime tells heddle: findings, calls outside control, and, when recording, every step. */
#include "runtime/internal.h"

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unwind.h>

#if defined __x86_64__
#define TRAP "int3"
#else
#define TRAP "brk #0"
#endif

void rt_say(const char *text) { rt_syscall(SYS_write, 2, (long)text, (long)strlen(text), 0, 0, 0); }

/* Code of a shared library, as opposed to the program's own. */
extern char __executable_start, etext, __start_heddle_text, __stop_heddle_text;
bool rt_is_library_code(uintptr_t pc) { return pc < (uintptr_t)&__executable_start || pc >= (uintptr_t)&etext; }

bool rt_is_own_code(uintptr_t pc)
{
    return pc >= (uintptr_t)&__start_heddle_text && pc < (uintptr_t)&__stop_heddle_text;
}

bool rt_is_program_code(uintptr_t pc) { return !rt_is_own_code(pc) && !rt_is_library_code(pc); }

#pragma weak _Unwind_Backtrace /* in C programs nobody brings it */
#pragma weak _Unwind_GetIP

static _Unwind_Reason_Code note_place(struct _Unwind_Context *context, void *place)
{
    uintptr_t pc = (uintptr_t)_Unwind_GetIP(context);
    if (!rt_is_program_code(pc)) return _URC_NO_REASON;
    *(uintptr_t *)place = pc;
    return _URC_NORMAL_STOP;
}

/* By the tables that C++ programs have for exceptions. What the unwinder does itself is not under control. */
static uintptr_t place_by_unwinding(void)
{
    uintptr_t place = 0;
    rt.active = false;
    if (_Unwind_Backtrace) _Unwind_Backtrace(note_place, &place);
    rt.active = true;
    return place;
}

/* The program called a library that is not instrumented (C++: thread::join, condition_variable::wait), which called us:
 * the place in the program is the first return address above that is neither ours nor a library's. Where frames cannot
 * be told, that may be one that an earlier call left behind. */
static uintptr_t place_in_program(const struct thread *t, uintptr_t pc)
{
    if (t != rt.self || !pc || !rt_is_library_code(pc)) return pc;
    uintptr_t end = t->call_count ? t->calls[t->call_count - 1].frame_pointer : (uintptr_t)t->stack_high;
    if (end > (uintptr_t)t->stack_high) end = (uintptr_t)t->stack_high;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), place = 0;
    bool deciding = (uintptr_t)rt.decision_stack - here < DECISION_STACK;
    if (deciding) here = t->frame;
    if (here < (uintptr_t)t->stack_low) return pc; /* in a signal handler */
    if (!deciding && rt.active) place = place_by_unwinding();
    if (place) return place;
    for (const uintptr_t *p = (const uintptr_t *)here; (uintptr_t)p < end; p++)
        if (rt_is_program_code(*p)) return *p;
    return pc;
}

uintptr_t rt_place_in_program(uintptr_t pc) { return place_in_program(rt.self, pc); }

struct rt_stack rt_stack_of(const struct thread *t, uintptr_t pc)
{
    struct rt_shared *s = rt.shared;
    if (!s || s->frame_count + t->call_count + 1 > RT_MAX_FRAMES) return (struct rt_stack){0};
    struct rt_stack stack = {s->frame_count, 0};
    s->frames[stack.first + stack.len++] = place_in_program(t, pc);
    for (uint32_t i = t->call_count; i-- > 0;) s->frames[stack.first + stack.len++] = t->calls[i].pc;
    s->frame_count += stack.len;
    assert_costly(stack.len == t->call_count + 1 && s->frame_count <= RT_MAX_FRAMES);
    return stack;
}

/* Where a finding is made: of what the thread is about to do the stack was kept when it came there, and now that it
 * waits, in a library perhaps, its frames cannot be told any more. */
static struct rt_stack stack_of_finding(const struct thread *t, uintptr_t pc)
{
    return pc == t->op_pc && t->op_stack.len ? t->op_stack : rt_stack_of(t, pc);
}

/* Without heddle the program fails as it would have, with a line that says why. */
static void fail_alone(const char *message)
{
    rt_say("heddle: ");
    rt_say(message);
    rt_say("\n");
    rt_syscall(SYS_exit_group, 134, 0, 0, 0, 0, 0);
}

void rt_find(enum rt_finding_kind kind, uintptr_t pc, const char *message, ...)
{
    struct rt_finding f = {.kind = kind, .site = pc, .here = {.thread = rt.self ? rt.self->id : 0, .pc = pc}};
    va_list ap;
    assert(kind > RT_NONE && kind < RT_FINDING_COUNT);
    va_start(ap, message);
    REAL(vsnprintf)(f.message, sizeof f.message, message, ap);
    va_end(ap);
    if (!rt.shared || !rt.active) fail_alone(f.message);
    rt.in_finding = true;
    if (rt.recording) {
        rt_flush();
        f.here.stack = stack_of_finding(rt.self, pc);
    }
    rt.found = f;
}

void rt_find_race(uintptr_t pc, uintptr_t address, size_t size, bool write, bool atomic, const struct rt_place *other)
{
    rt_find(RT_RACE, pc, "data race");
    rt.found.here.write = write;
    rt.found.here.atomic = atomic;
    rt.found.here.address = address;
    rt.found.here.size = size;
    rt.found.other = *other;
    rt.found.has_other = true;
    if (rt.recording) rt_record_home(address);
}

void rt_find_block(uintptr_t pc, const void *block, size_t size, struct rt_stack stack)
{
    assert(rt.in_finding);
    rt.found.other =
        (struct rt_place){.thread = -1, .pc = pc, .address = (uint64_t)block, .size = size, .stack = stack};
    rt.found.has_other = true;
}

void rt_finding_end(void)
{
    assert(rt.found.kind != RT_NONE && rt.in_finding);
    if (rt.recording) rt_record_ends();
    if (rt.recording && rt.shared->config.stop_at_end) __asm__ volatile(TRAP);
    rt_end_execution(rt.end == SCHED_END_DEADLOCK ? SCHED_END_DEADLOCK : SCHED_END_FAILURE);
}

void rt_note(const char *name, const char *meaning, uintptr_t pc)
{
    struct rt_shared *s = rt.shared;
    if (!s || (!rt.active && s->status != RT_STARTING)) return;
    for (uint32_t i = 0; i < s->note_count; i++)
        if (s->notes[i].pc == pc) return;
    if (s->note_count == RT_MAX_NOTES) return;
    struct rt_note *n = &s->notes[s->note_count++];
    n->pc = pc;
    rt_print(n->name, sizeof n->name, "%s", name);
    rt_print(n->meaning, sizeof n->meaning, "%s", meaning);
}

static void few_frames(uint64_t *frames, const struct thread *t, uintptr_t pc)
{
    frames[0] = pc;
    for (uint32_t i = 1; i < RT_WEAK_FRAMES && i <= t->call_count; i++) frames[i] = t->calls[t->call_count - i].pc;
}

/* Called until the table is full, not for every operation. */
void rt_unexplored(enum rt_unexplored what)
{
    assert((unsigned)what < RT_UNEXPLORED_KINDS);
    if (rt.shared) rt.shared->unexplored |= 1u << what;
}

void rt_note_weak_order(int order, uintptr_t address, uintptr_t pc)
{
    struct rt_shared *s = rt.shared;
    const struct thread *t = rt.self;
    assert(s && s->weak_count < RT_MAX_WEAK);
    for (uint32_t i = 0; i < s->weak_count; i++)
        if (s->weak[i].frames[0] == pc) return;
    struct rt_weak *w = &s->weak[s->weak_count++];
    *w = (struct rt_weak){.order = order, .address = address};
    few_frames(w->frames, t, pc);
}

void rt_note_mixed(uintptr_t address, enum rt_mixed_kind kind, uintptr_t pc)
{
    struct rt_shared *s = rt.shared;
    for (uint32_t i = 0; i < s->mixed_count; i++)
        if (s->mixed[i].address == address && s->mixed[i].kind == kind) return;
    if (s->mixed_count == RT_MAX_MIXED) return;
    struct rt_mixed *m = &s->mixed[s->mixed_count++];
    *m = (struct rt_mixed){.address = address, .kind = (uint8_t)kind};
    few_frames(m->frames, rt.self, pc);
}

/* The innermost return address in the program on the stack of a thread that does not run. */
static uintptr_t place_of_parked(const struct thread *t)
{
    if (!rt_is_library_code(t->op_pc)) return t->op_pc;
    uintptr_t end = t->call_count ? t->calls[t->call_count - 1].frame_pointer : (uintptr_t)t->stack_high;
    if (end > (uintptr_t)t->stack_high) end = (uintptr_t)t->stack_high;
    for (const uintptr_t *p = (const uintptr_t *)t->frame; (uintptr_t)p < end && rt_on_own_stack(t, p); p++)
        if (rt_is_program_code(*p)) return *p;
    return t->op_pc;
}

void rt_note_waiting(const struct thread *t)
{
    struct rt_shared *s = rt.shared;
    for (uint32_t i = 0; i < s->waiting_count; i++)
        if (s->waiting[i].pc == t->op_pc && s->waiting[i].start == (uint64_t)t->start) return;
    if (s->waiting_count == RT_MAX_WAITING) return;
    struct rt_waiting *w = &s->waiting[s->waiting_count++];
    *w = (struct rt_waiting){.pc = t->op_pc, .start = (uint64_t)t->start};
    few_frames(w->frames, t, place_of_parked(t));
}

static struct rt_event *last_event(void)
{
    return rt.shared->event_count ? &rt.shared->events[rt.shared->event_count - 1] : NULL;
}

/* Those that wait for what the step is about to give back. */
static sched_set waiting_for(const struct thread *giver)
{
    sched_set mask = SET_NONE;
    uint8_t kind = giver->op.kind;
    bool gives = kind == SCHED_UNLOCK || kind == SCHED_RDUNLOCK || kind == SCHED_WRUNLOCK || kind == SCHED_SEM_POST ||
                 kind == SCHED_PUT || kind == SCHED_TAKE;
    if (!gives) return mask;
    int id;
    FOR_EACH_THREAD(id, rt.live & ~rt.view.enabled) {
        const struct thread *t = &rt.threads[id];
        bool resumes = t->op.kind == SCHED_COND_RESUME;
        if (resumes && !t->woken) continue;
        if ((resumes ? t->op.object2 : t->op.object) == giver->op.object) mask |= set_of(t->id);
    }
    return mask;
}

static struct rt_threads as_words(sched_set s)
{
    struct rt_threads out = {0};
    for (int w = 0; w < SET_WORDS; w++) out.word[w] = SET_WORD(s, w);
    return out;
}

void rt_record_step(const struct thread *t, const struct sched_pick *pick)
{
    struct rt_shared *s = rt.shared;
    if (s->event_count == RT_MAX_EVENTS) {
        s->events_full = true;
        return;
    }
    assert(pick->thread == t->id && set_has(rt.view.enabled, t->id));
    struct rt_event *e = &s->events[s->event_count++];
    *e = (struct rt_event){.thread = t->id,
                           .kind = t->op.kind,
                           .flags = t->op.flags,
                           .choice = pick->choice,
                           .enabled = as_words(sched_could_go_on(rt.sched)),
                           .size = t->op.count,
                           .order = t->op.order,
                           .pc = t->op_pc,
                           .object = t->op.object,
                           .object2 = t->op.object2,
                           .wakes = as_words(waiting_for(t)),
                           .extra = t->op.value};
    e->stack = t->op_stack;
    rt_record_home(t->op.object);
    rt_record_home(t->op.object2);
    if (t->label) rt_print(e->label, sizeof e->label, "%s", t->label);
}

void rt_record_value(uint64_t value, bool has_old, uint64_t old, size_t size, bool atomic)
{
    struct rt_event *e = last_event();
    if (!e || e->thread != rt.self->id) return;
    e->value = value;
    e->has_value = true;
    e->old = old;
    e->has_old = has_old;
    if (e->kind != SCHED_CHOOSE) e->size = (uint32_t)size; /* there it is the number of choices */
    e->atomic = atomic;
}

static uint64_t value_at(uintptr_t address, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size < 8 ? size : 8);
    return value;
}

void rt_record_read(uintptr_t address, size_t size, bool atomic)
{
    rt_record_value(value_at(address, size), false, 0, size, atomic);
}

void rt_record_write(uintptr_t address, size_t size)
{
    rt_record_value(0, true, value_at(address, size), size, false);
    last_event()->has_value = false;
}

void rt_record_failed_compare(void)
{
    struct rt_event *e = last_event();
    if (e) e->failed = true;
}

void rt_record_source(uint32_t step, int order)
{
    struct rt_event *e = last_event();
    if (!e) return;
    e->source = step;
    e->order = (uint8_t)(1 + order);
}

void rt_record_stale(uint32_t step, uint64_t value)
{
    struct rt_event *e = last_event();
    if (!e) return;
    e->stale = true;
    e->newest = value;
    e->newest_step = step;
}

void rt_record_wakes(sched_set threads)
{
    struct rt_event *e = last_event();
    if (e) e->wakes = as_words(threads & ~set_of(e->thread));
}

/* The step is over: what a plain write stored is in memory now. */
void rt_record_outcome(void)
{
    struct rt_event *e = last_event();
    if (!e) return;
    e->failed |= rt.outcome.failed;
    if (set_any(rt.outcome.woken)) e->wakes = as_words(rt.outcome.woken & ~set_of(e->thread));
    if (e->kind == SCHED_WRITE && e->has_old && !e->has_value) {
        e->value = value_at(e->object, e->size);
        e->has_value = true;
    }
}

void rt_record_ends(void)
{
    if (rt.step_pending) rt_record_outcome();
    for (int i = 0; i < MAX_THREADS; i++) {
        const struct thread *t = &rt.threads[i];
        struct rt_thread_end *e = &rt.shared->ends[i];
        *e = (struct rt_thread_end){.exists = i < rt.thread_limit && t->live};
        if (!e->exists) continue;
        assert(t->id == i && t->finished == !set_has(rt.live, i));
        e->finished = t->finished;
        e->enabled = !t->enabled || rt_is_unmapped(&t->op) || t->enabled(t);
        memcpy(e->name, t->name, sizeof e->name);
        if (t->label) rt_print(e->label, sizeof e->label, "%s", t->label);
        e->start = (uint64_t)t->start;
        e->creator = t->creator;
        e->pc = t == rt.self && !t->op_pc ? 0 : t->op_pc;
        e->op = t->op;
        e->stack = t == rt.self && rt.found.here.pc ? stack_of_finding(t, rt.found.here.pc) : t->op_stack;
        e->held_count = t->held_count < RT_MAX_HELD ? t->held_count : RT_MAX_HELD;
        memcpy(e->held, t->held, sizeof e->held);
    }
}
