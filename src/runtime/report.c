/* What the runtime tells heddle: findings, calls outside control, and, when recording, every step. */
#include "runtime/internal.h"

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define TRAP "int3"
#else
#define TRAP "brk #0"
#endif

void rt_say(const char *text) { rt_syscall(SYS_write, 2, (long)text, (long)strlen(text), 0, 0, 0); }

struct rt_stack rt_stack_of(const struct thread *t, uintptr_t pc)
{
    struct rt_shared *s = rt.shared;
    if (!s || s->frame_count + t->call_count + 1 > RT_MAX_FRAMES) return (struct rt_stack){0};
    struct rt_stack stack = {s->frame_count, 0};
    s->frames[stack.first + stack.len++] = pc;
    for (uint32_t i = t->call_count; i-- > 0;) s->frames[stack.first + stack.len++] = t->calls[i].pc;
    s->frame_count += stack.len;
    return stack;
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
    struct rt_finding f = {.kind = kind, .here = {.thread = rt.self ? rt.self->id : 0, .pc = pc}};
    va_list ap;
    va_start(ap, message);
    vsnprintf(f.message, sizeof f.message, message, ap);
    va_end(ap);
    if (!rt.shared || !rt.active) fail_alone(f.message);
    rt.in_finding = true;
    if (rt.recording) {
        rt_flush();
        f.here.stack = rt_stack_of(rt.self, pc);
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
}

void rt_find_block(uintptr_t pc, const void *block, size_t size, struct rt_stack stack)
{
    rt.found.other = (struct rt_place){.thread = -1, .pc = pc, .address = (uint64_t)block, .size = size, .stack = stack};
    rt.found.has_other = true;
}

void rt_finding_end(void)
{
    if (rt.recording) rt_record_ends();
    if (rt.recording && rt.shared->config.stop_at_end) __asm__ volatile(TRAP);
    rt_end_execution(rt.end == SCHED_END_DEADLOCK ? SCHED_END_DEADLOCK : SCHED_END_FAILURE);
}

void rt_note(const char *name, const char *meaning, uintptr_t pc)
{
    struct rt_shared *s = rt.shared;
    if (!s || !rt.active) return;
    for (uint32_t i = 0; i < s->note_count; i++)
        if (s->notes[i].pc == pc) return;
    if (s->note_count == RT_MAX_NOTES) return;
    struct rt_note *n = &s->notes[s->note_count++];
    n->pc = pc;
    snprintf(n->name, sizeof n->name, "%s", name);
    snprintf(n->meaning, sizeof n->meaning, "%s", meaning);
}

/* Code of a shared library, as opposed to the program's own. */
extern char __executable_start, etext;
bool rt_is_library_code(uintptr_t pc) { return pc < (uintptr_t)&__executable_start || pc >= (uintptr_t)&etext; }

static struct rt_event *last_event(void) { return rt.shared->event_count ? &rt.shared->events[rt.shared->event_count - 1] : NULL; }

void rt_record_step(const struct thread *t, const struct sched_pick *pick, bool previous_enabled)
{
    struct rt_shared *s = rt.shared;
    if (s->event_count == RT_MAX_EVENTS) {
        s->events_full = true;
        return;
    }
    struct rt_event *e = &s->events[s->event_count++];
    *e = (struct rt_event){.thread = t->id, .kind = t->op.kind, .flags = t->op.flags, .choice = pick->choice,
                           .preemption = pick->preemption, .previous_enabled = previous_enabled, .size = t->op.count,
                           .pc = t->op_pc, .object = t->op.object, .object2 = t->op.object2, .extra = t->op.value};
    e->stack = rt_stack_of(t, t->op_pc);
    if (t->label) snprintf(e->label, sizeof e->label, "%s", t->label);
}

void rt_record_value(uint64_t value, bool has_old, uint64_t old, size_t size, bool atomic)
{
    struct rt_event *e = last_event();
    if (!e || e->thread != rt.self->id) return;
    e->value = value;
    e->has_value = true;
    e->old = old;
    e->has_old = has_old;
    e->size = (uint32_t)size;
    e->atomic = atomic;
}

static uint64_t value_at(uintptr_t address, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size < 8 ? size : 8);
    return value;
}

void rt_record_read(uintptr_t address, size_t size, bool atomic) { rt_record_value(value_at(address, size), false, 0, size, atomic); }

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

/* The step is over: what a plain write stored is in memory now. */
void rt_record_outcome(void)
{
    struct rt_event *e = last_event();
    if (!e) return;
    e->failed |= rt.outcome.failed;
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
        e->finished = t->finished;
        e->enabled = !t->enabled || t->enabled(t);
        memcpy(e->name, t->name, sizeof e->name);
        e->start = (uint64_t)t->start;
        e->creator = t->creator;
        e->pc = t == rt.self && !t->op_pc ? 0 : t->op_pc;
        e->op = t->op;
        e->stack = rt_stack_of(t, t == rt.self && rt.found.here.pc ? rt.found.here.pc : t->op_pc);
        e->held_count = t->held_count;
        memcpy(e->held, t->held, sizeof e->held);
    }
}
