/* What the audit found (src/runtime/audit.c): which calls access memory that another thread accesses without announcing
 * it, and which calls were not audited. */
#include "check/native_int.h"

#include <string.h>

bool check_audit_parse(const char *text, enum rt_audit *audit)
{
    *audit = !text ? RT_AUDIT_BUDGET : *text ? RT_AUDIT_OFF : RT_AUDIT_ALL;
    return !text || !*text || !strcmp(text, "off");
}

/* The place of a call, whose return address this is; or of an access. */
static void say_place(const struct check *c, uint64_t pc, struct str *s)
{
    struct source_place p;
    if (symbols_place(c->symbols, pc - 1, &p)) str_printf(s, " at %s:%d", path_basename(p.file), p.line);
}

/* "snprintf"; of a function of the executable "square()". */
static void say_function(const struct check *c, const struct rt_call_site *site, struct str *s)
{
    const char *own = NULL;
    for (size_t i = 0; site->is_own && i < c->foreign.ranges.len; i++)
        if (c->foreign.ranges.at[i].low == site->function) own = c->foreign.ranges.at[i].function;
    struct source_place p;
    if (site->is_own && symbols_place(c->symbols, site->function, &p) && p.function)
        str_printf(s, "%s%s", p.function, strchr(p.function, '(') ? "" : "()");
    else if (own) str_printf(s, "%.*s()", (int)strcspn(own, "."), own);
    else str_add(s, *site->name ? site->name : "a function");
}

static const struct rt_call_site *own_site(const struct rt_shared *s, uint64_t pc)
{
    for (uint32_t i = 0; i < s->call_site_count; i++)
        if (s->call_sites[i].is_own && s->call_sites[i].pc == pc) return &s->call_sites[i];
    return NULL;
}

/* "snprintf at report.c:31 reads what T2 writes at report.c:12". */
static void cover_unobserved(const struct check *c, const struct rt_unobserved *u, struct part *p)
{
    struct str s = {0};
    const char *name = symbols_variable(c->symbols, u->address);
    const struct rt_call_site *own = *u->name ? NULL : own_site(c->run.shared, u->pc);
    if (own) say_function(c, own, &s);
    else str_add(&s, *u->name ? u->name : "a call");
    say_place(c, u->pc, &s);
    if (u->is_library) name = "state of the C library";
    char thread[32] = "main";
    if (u->other) snprintf(thread, sizeof thread, "T%d", u->other);
    if (u->system_call) str_printf(&s, " makes system call %d", u->system_call - 1);
    else str_printf(&s, " %s %s, which %s %s", u->writes ? "writes" : "reads", name ? name : "memory", thread,
                    u->other_writes ? "writes" : "reads");
    if (!u->system_call) say_place(c, u->other_pc, &s);
    part_omit(p, LOSS_UNOBSERVED, "%s", s.at);
    str_release(&s);
}

static bool is_audited(const struct rt_call_site *s) { return s->state == RT_SITE_DONE; }

/* Some thread made more calls from there than were audited. */
static bool is_partial(const struct rt_call_site *s)
{
    return s->is_own && s->thread >= 0 && is_audited(s) && s->needed > s->audited;
}

static bool was_said(const struct rt_shared *s, uint32_t site)
{
    uint64_t pc = s->call_sites[site].pc;
    for (uint32_t i = 0; i < s->unobserved_count; i++)
        if (s->unobserved[i].pc == pc) return true;
    for (uint32_t i = 0; i < site; i++)
        if (s->call_sites[i].pc == pc && is_partial(&s->call_sites[i])) return true;
    return false;
}

static uint32_t count_unaudited(const struct rt_shared *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->call_site_count; i++)
        count += !s->call_sites[i].is_own && !is_audited(&s->call_sites[i]);
    return count;
}

/* A library's functions that access nothing of the program's, such as those for numbers, need no word. */
static bool is_sampled(const struct rt_call_site *s)
{
    return !s->is_own && is_audited(s) && s->is_sampled && s->has_accesses;
}

static uint32_t count_sampled(const struct rt_shared *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->call_site_count; i++) count += is_sampled(&s->call_sites[i]);
    return count;
}

/* "update() at work.c:12, only some of whose calls from there were audited". */
static void cover_partial(const struct check *c, struct part *p)
{
    enum { MOST = 3 };
    const struct rt_shared *s = c->run.shared;
    uint32_t count = 0;
    char others[64];
    for (uint32_t i = 0; i < s->call_site_count; i++) {
        if (!is_partial(&s->call_sites[i]) || was_said(s, i) || ++count > MOST) continue;
        struct str words = {0};
        say_function(c, &s->call_sites[i], &words);
        say_place(c, s->call_sites[i].pc, &words);
        part_omit(p, LOSS_UNOBSERVED, "%s, only some of whose calls from there were audited", words.at);
        str_release(&words);
    }
    if (count > MOST)
        part_omit(p, LOSS_UNOBSERVED, "some calls from %s (-v lists them)",
                  counted(others, count - MOST, "other place"));
}

/* A call got those of another thread, or its own ones that another thread accesses. */
static bool reach_locals(unsigned found)
{
    unsigned both = RT_LOCALS_OWN_ARGUMENT | RT_LOCALS_OTHER_ACCESS;
    return found & RT_LOCALS_OTHER_ARGUMENT || (found & both) == both;
}

void check_cover_audit(const struct check *c, struct part *p)
{
    const struct rt_shared *s = c->run.shared;
    char sites[64];
    for (int calls = 0; calls < 2; calls++)
        for (uint32_t i = 0; i < s->unobserved_count; i++)
            if (!s->unobserved[i].system_call == !calls) cover_unobserved(c, &s->unobserved[i], p);
    if (reach_locals(s->audit_thread_locals))
        part_omit(p, LOSS_UNOBSERVED, "calls that reach thread-local variables of another thread");
    cover_partial(c, p);
    uint32_t left = count_unaudited(s), sampled = count_sampled(s);
    if (left) part_omit(p, LOSS_UNAUDITED, "%s not audited", counted(sites, left, "place"));
    if (sampled) part_omit(p, LOSS_UNAUDITED, "some calls from %s not audited", counted(sites, sampled, "place"));
    if (s->stack_is_code) part_omit(p, LOSS_UNAUDITED, "none is audited, because the program's stacks are executable");
    if (s->audit_skipped) part_omit(p, LOSS_UNAUDITED, "not audited with --audit=off");
    if (s->audit_incomplete) part_omit(p, LOSS_UNAUDITED, "more of them than there is room for");
}

/* -v: each call site that was not audited; without it a word if the audit was asked for and is not possible. */
void check_print_audit(const struct check *c)
{
    const struct rt_shared *s = c->run.shared;
    bool is_asked_for = s->config.audit == RT_AUDIT_ALL;
    if (is_asked_for && s->audit_unavailable) fprintf(stderr, "heddle: the audit is not available on this machine\n");
    if (!c->common.verbose) return;
    for (uint32_t i = 0; i < s->call_site_count; i++) {
        struct source_place p;
        const struct rt_call_site *site = &s->call_sites[i];
        bool is_part = is_partial(site) || is_sampled(site);
        if ((is_audited(site) && !is_part) || !symbols_place(c->symbols, site->pc - 1, &p)) continue;
        struct str function = {0};
        say_function(c, site, &function);
        fprintf(stderr, "%s:%d: note: the call of %s is not audited: %s\n", p.file, p.line, function.at,
                is_part                      ? "only some of its calls from there were (--audit)"
                : site->state != RT_SITE_CUT ? "its schedule was not run again"
                : site->is_own               ? "it was not observed up to its end (--audit)"
                                             : "there is no time left for it (--audit)");
        str_release(&function);
    }
}
