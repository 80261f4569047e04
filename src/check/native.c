/* The engine for real programs: compile, explore, replay the failing schedule with everything recorded, report. */
#include "check/native_int.h"
#include "cluster/cluster.h"

#include "base/compiler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const explore_names[] = {"bpor", "icb",    "optimal", "dpor", "cb-por",
                                            "dfs",  "random", "pct",     "fair", "cb-por1",
                                            "dpor-plain", "bpor-plain", "pos", "delay", "surw", "rff",
                                            "delay-plain", "rare", NULL};
static const enum sched_strategy strategies[] = {SCHED_BPOR,  SCHED_ICB, SCHED_OPTIMAL, SCHED_DPOR,
                                                 SCHED_CBPOR, SCHED_DFS, SCHED_RANDOM,  SCHED_PCT, SCHED_BPOR,
                                                 SCHED_CBPOR1, SCHED_DPOR_PLAIN, SCHED_BPOR_PLAIN, SCHED_POS,
                                                 SCHED_DELAY, SCHED_SURW, SCHED_RFF, SCHED_DELAY_PLAIN, SCHED_RARE};
enum { EXPLORE_BPOR = 0, EXPLORE_FAIR = 8 }; /* their places in these two */
/* Without --explore the search is that of bpor, with a portfolio beside it. */
static int explore_of(const struct native_options *o)
{
    return o->explore == EXPLORE_DEFAULT ? EXPLORE_BPOR : o->explore;
}
static enum sched_strategy strategy_of(const struct native_options *o) { return strategies[explore_of(o)]; }
static const char *const points_names[] = {"sync", "all", NULL};
static const char *const races_names[] = {"error", "explore", "ignore", NULL};
static const char *const isolate_names[] = {"reset", "fork", "main", "branch", "keep", "start", NULL};
static const char *const files_names[] = {"virtual", "real", NULL};
enum { FILES_VIRTUAL };
static const char *const memory_names[] = {"c11", "sc", NULL};
static const char *const portfolio_names[] = {"on", "off", NULL};
static const char *const volatile_names[] = {"plain", "atomic", NULL};

#define AT(member) offsetof(struct native_options, member)
static const struct option rows[] = {
    {"explore", 0, OPTION_CHOICE, AT(explore), "HOW",
     "bpor: bound after bound, reduced; without this option a search without a bound runs beside it; icb: the same "
     "without reduction; cb-por: each partial order once; "
     "optimal, dpor: without a bound; fair: within the bound on yields only; dfs: all; delay: bounds delays of a "
     "deterministic scheduler instead of preemptions, reduced; delay-plain: the same without reduction; "
     "samples: random, pct, pos, surw, rff, rare; "
     "as first published, for comparison and with --memory-model=sc only: cb-por1, dpor-plain, bpor-plain",
     .choices = explore_names},
    {"portfolio", 0, OPTION_CHOICE, AT(portfolio_off), "WHETHER",
     "on: when a bound takes long, other strategies look for errors beside the systematic search; off: they do not. "
     "Only without --explore and --bound",
     .choices = portfolio_names},
    {"points", 0, OPTION_CHOICE, AT(points), "WHERE",
     "where threads may be switched: at synchronisation and atomics (sync), or also at plain accesses to shared memory "
     "(all)",
     .choices = points_names},
    {"races", 0, OPTION_CHOICE, AT(races), "WHAT",
     "a data race is an error (error), a place to switch threads (explore), or nothing (ignore)",
     .choices = races_names},
    {"memory-model", 0, OPTION_CHOICE, AT(memory), "MODEL",
     "what memory orders allow: all that the C and C++ standards do (c11, as RC11 has it), or interleavings only (sc)",
     .choices = memory_names},
    {"estimate", 0, OPTION_FLAG, AT(estimate), NULL,
     "before the check, predict from a sample how many executions a search needs that runs each partial order once"},
    {"suggest-orders", 0, OPTION_FLAG, AT(suggest_orders), NULL,
     "look for the fewest memory orders that have to be stronger for the check to pass, or if it passes for those that "
     "could be weaker; each is tried by a check of its own"},
    {"volatile", 0, OPTION_CHOICE, AT(volatiles), "WHAT",
     "volatile variables are plain memory (plain), or atomics that are loaded with acquire and stored with release "
     "order (atomic), as programs older than C11 mean it",
     .choices = volatile_names},
    {"jobs", 'j', OPTION_INT, AT(jobs), "N",
     "explore with N processes (bpor, fair, icb, delay-plain, dpor, dfs and all that sample; the others have one; "
     "default: as many as there are processors)", .min = 1,
     .max = RT_MAX_PROCESSES},
    {"threads", 0, OPTION_INT, AT(threads), "N",
     "explore executions with at most N threads at a time, the first one included. Default 0: as many as the program "
     "creates; if these are more than 1,024, limits of 2, 4, 8, 16 and 32 are tried", .min = 0, .max = RT_MAX_THREADS},
    {"fair-bound", 0, OPTION_INT, AT(fair_bound), "N",
     "how many more yields than others a thread may do before it has to wait; -1: any number", .min = -1,
     .max = 1000000},
    {"max-steps", 0, OPTION_INT, AT(max_steps), "N",
     "cut executions off after so many steps; those before the first thread is created do not count", .min = 1,
     .max = RT_MAX_STEPS},
    {"executions", 0, OPTION_INT, AT(executions), "N", "stop after so many executions", .min = 1, .max = INT64_MAX},
    {"step-time", 0, OPTION_SECONDS, AT(step_time), "S", "a step that takes longer is an endless loop"},
    {"spurious", 0, OPTION_MAYBE_STRING, AT(spurious), "N",
     "how many waits on condition variables and futexes may return without a signal, and weak compare-exchanges fail, "
     "for no reason in an execution (1); not where the program then comes back to the same call"},
    {"sequential", 0, OPTION_FLAG, AT(sequential), NULL,
     "accept a program that creates no thread: its one execution is checked"},
    {"leaks", 0, OPTION_FLAG, AT(leaks), NULL, "memory that is never freed is an error"},
    {"exit", 0, OPTION_STRING, AT(exit), "WHAT",
     "a program that ends with a status other than 0 is an error (error, the default) or not (ignore); or the statuses "
     "that are none, as in 0,77"},
    {"isolate", 0, OPTION_CHOICE, AT(isolate), "HOW",
     "between executions go back to where main creates the first thread, or, if it pays, to where the next one differs "
     "(reset), or always to the former (start) or to the beginning of main (main), or use a new process (fork); for "
     "tests, go back to states on the way whatever it costs, by copies of the process (branch) or of memory (keep)",
     .choices = isolate_names},
    {"input", 0, OPTION_STRING, AT(input), "SCRIPT",
     "clients that connect to the program from outside, send and receive what the script says"},
    {"files", 0, OPTION_CHOICE, AT(files), "HOW",
     "what an execution does to files is undone after it (virtual), or stays (real)", .choices = files_names},
    {"local-states", 0, OPTION_FLAG, AT(locals), NULL, "count what each thread could have seen (\"states\" in JSON)"},
    {"digest", 0, OPTION_FLAG, AT(digest), NULL,
     "for tests: a number for all executions in their order, with the memory that they leave (\"digest\" in JSON)"},
    {"cflags", 0, OPTION_STRING, AT(cflags), "FLAGS", "for the compiler"},
    {"ldflags", 0, OPTION_STRING, AT(ldflags), "FLAGS", "for the compiler when it links, after the files"},
    {"library", 'l', OPTION_LIST, AT(libraries), "NAME", "link with it, as in -lz"},
    {"cc", 0, OPTION_STRING, AT(compiler), "COMPILER", "instead of $CC, $CXX, cc or c++"},
    {"audit", 0, OPTION_MAYBE_STRING, AT(audit), "off",
     "look at what calls into code that is not observed do with memory, however long it takes; off: do not. Without "
     "this option a fifth of the processor time is for it, or 50 milliseconds (x86-64)"},
    {"doctor", 0, OPTION_FLAG, AT(doctor), NULL,
     "list the calls of the program that are outside control, and its memory orders, and stop"},
};

static void options_init(void *options)
{
    *(struct native_options *)options =
        (struct native_options){.explore = EXPLORE_DEFAULT, .fair_bound = 1, .max_steps = 20000, .step_time = 10,
                                 .cflags = "", .ldflags = "", .exit = "error", .spurious = ""};
}

static bool accepts(const char *path) { return is_source_file(path) || is_executable(path); }

/* The compiler has said what is wrong with the program; what is wrong with the compiler is said here. */
static int compiled(const struct check *c, const char *compiler, int status)
{
    if (status == PROCESS_STOPPED) return EXIT_UNKNOWN;
    if (status == NATIVE_REFUSED) return EXIT_BAD_INPUT;
    if (!status && access(c->executable, X_OK) == 0) return 0;
    if (!status) fprintf(stderr, "heddle: error: %s: made no program\n", compiler);
    else if (status == PROCESS_NOT_STARTED) fprintf(stderr, "heddle: error: %s: cannot be started\n", compiler);
    else if (status > 128) fprintf(stderr, "heddle: error: %s: killed by signal %d\n", compiler, status - 128);
    else fprintf(stderr, "heddle: error: %s: failed (status %d)\n", compiler, status);
    return EXIT_BAD_INPUT;
}

static struct native_build build_of(const struct check *c)
{
    const struct native_options *o = c->options;
    return (struct native_build){.files = c->files, .count = c->file_count, .libraries = o->libraries.at,
                                 .library_count = o->libraries.len, .cflags = o->cflags, .ldflags = o->ldflags,
                                 .hidden = c->copies};
}

static const char *compiler_of(const struct check *c)
{
    bool cxx = false;
    for (size_t i = 0; i < c->file_count; i++) cxx |= is_cxx_file(c->files[i]);
    return compiler_choose(cxx ? LANGUAGE_CXX : LANGUAGE_C, c->options->compiler);
}

char *check_hash(const struct check *c)
{
    struct native_build build = build_of(c);
    char *hash = is_source_file(c->files[0]) ? native_sources_hash(&build, compiler_of(c), c->limits) : NULL;
    return hash ? hash : hash_file(c->executable);
}

static int compile(struct check *c)
{
    bool sources = is_source_file(c->files[0]);
    for (size_t i = 0; i < c->file_count; i++) {
        if (is_source_file(c->files[i]) != sources) {
            fprintf(stderr, "heddle: error: %s: either source files or one executable\n", c->files[i]);
            return EXIT_BAD_INPUT;
        }
    }
    if (!sources) {
        if (c->file_count > 1) return fprintf(stderr, "heddle: error: one executable at a time\n"), EXIT_BAD_INPUT;
        c->executable = realpath(c->files[0], NULL);
        if (c->executable && !is_checkable_executable(c->executable)) {
            fprintf(stderr, "heddle: error: %s: was not built with heddle cc\n", c->files[0]);
            return EXIT_BAD_INPUT;
        }
        if (c->executable) return 0;
        fprintf(stderr, "heddle: error: %s: %s\n", c->files[0], strerror(errno));
        return EXIT_BAD_INPUT;
    }
    const char *compiler = compiler_of(c);
    tempdir_require(&c->directory);
    c->executable = tempdir_file(&c->directory, "program");
    double started = seconds_now();
    struct native_build build = build_of(c);
    int status = native_compile(&build, compiler, c->executable, c->limits);
    c->compile_seconds = seconds_now() - started;
    return compiled(c, compiler, status);
}

/* "error", "ignore", or the statuses that are accepted. */
static bool parse_exit(const char *text, uint8_t accepted[256 / 8])
{
    memset(accepted, 0, 256 / 8);
    if (!strcmp(text, "ignore")) return memset(accepted, 0xff, 256 / 8), true;
    if (!strcmp(text, "error")) text = "0";
    for (;;) {
        char *end;
        unsigned long n = strtoul(text, &end, 10);
        if (end == text || text[0] < '0' || text[0] > '9' || n > 255) return false;
        accepted[n / 8] |= (uint8_t)(1u << n % 8);
        if (!*end) return true;
        if (*end != ',') return false;
        text = end + 1;
    }
}

/* Without a number: 1. */
static bool parse_spurious(const char *text, int *out)
{
    char *end;
    long n = *text ? strtol(text, &end, 10) : 1;
    *out = (int)n;
    return !*text || (text[0] >= '0' && text[0] <= '9' && !*end && n <= SCHED_MAX_BOUND);
}

int check_prepare(struct check *c)
{
    if (!parse_exit(c->options->exit, c->exit_accepted)) {
        fprintf(stderr, "heddle: error: --exit=%s: error, ignore or a list of numbers from 0 to 255\n",
                c->options->exit);
        return EXIT_BAD_INPUT;
    }
    enum rt_audit audit;
    if (!check_audit_parse(c->options->audit, &audit)) {
        fprintf(stderr, "heddle: error: --audit=%s: only off can be given\n", c->options->audit);
        return EXIT_BAD_INPUT;
    }
    if (!parse_spurious(c->options->spurious, &c->spurious)) {
        fprintf(stderr, "heddle: error: --spurious=%s: not a number from 0 to %d\n", c->options->spurious,
                SCHED_MAX_BOUND);
        return EXIT_BAD_INPUT;
    }
    char *wrong = c->options->input ? native_read_input(c->options->input, &c->input) : NULL;
    if (wrong) {
        fprintf(stderr, "heddle: error: %s\n", wrong);
        free(wrong);
        return EXIT_BAD_INPUT;
    }
    int status = compile(c);
    if (!status && c->options->files == FILES_VIRTUAL) tempdir_require(&c->journal);
    if (!status) c->symbols = symbols_new(c->executable, NATIVE_BASE);
    if (status || native_foreign_ranges(c->executable, NATIVE_BASE, &c->foreign)) return status;
    fprintf(stderr, "heddle: error: %s: its sections cannot be read\n", c->executable);
    return EXIT_BAD_INPUT;
}

void check_release(struct check *c)
{
    portfolio_release(c);
    native_run_release(&c->run);
    native_foreign_release(&c->foreign);
    symbols_free(c->symbols);
    tempdir_remove(&c->directory);
    tempdir_remove(&c->journal);
    free(c->executable);
    free(c->hash);
    free(c->arguments);
}

static bool goes_by_bounds(int explore)
{
    enum sched_strategy s = strategies[explore];
    return s == SCHED_ICB || sched_counts_delays(s) || s == SCHED_CBPOR || s == SCHED_CBPOR1 || s == SCHED_BPOR_PLAIN ||
           (s == SCHED_BPOR && explore != EXPLORE_FAIR);
}

static bool may_be_weak(const struct native_options *o) { return o->memory == 0 && o->volatiles != 1; }

/* What keeps the tree of schedules from being divided, in weak memory or not, or NULL. */
static const char *undivided(const struct native_options *o, bool weak)
{
    static char why[64];
    snprintf(why, sizeof why, "--explore=%s", explore_names[explore_of(o)]);
    if (!sched_divides(strategy_of(o), weak, false)) return why;
    if (o->isolate == RT_ISOLATE_FORK) return "--isolate=fork";
    if (o->locals) return "--local-states";
    if (o->digest) return "--digest";
    return o->executions && !sched_divides(strategy_of(o), weak, true) ? "--executions" : NULL;
}

static void tell_undivided(const struct check_job *job, const char *why)
{
    const struct native_options *o = job->options;
    bool wants_several = o->jobs > 1 || cluster_joined();
    if (wants_several && why && !cluster_is_other() && !job->common.quiet)
        fprintf(stderr, "heddle: %s explores in one process\n", why);
}

/* The strategy that explored the program in place of the one asked for (begins_again()); NULL: none did. */
static const char *other_strategy(const struct check *c)
{
    enum sched_strategy asked = strategies[explore_of(c->options)], ran = c->run.shared->config.strategy;
    return asked != ran && sched_asks_of_cuts(asked) ? sched_strategy_name(ran) : NULL;
}

static void tell_other_strategy(const struct check_job *job, const char *other)
{
    const char *asked = explore_names[explore_of(job->options)];
    if (other && !job->common.quiet)
        fprintf(stderr, "heddle: %s does not know an operation of this program: %s explored it\n", asked, other);
}

int check_processes(const struct check *c)
{
    return c->options->jobs ? (int)c->options->jobs : cluster_processors();
}

/* Steps before there is a second thread cost but memory, up to two kilobytes each: they may take half of it. */
static size_t longest_start(const struct check *c)
{
    enum { BYTES_FOR_EACH = 4096 };
    size_t room = RT_MAX_STEPS - (size_t)c->options->max_steps;
    return c->limits && c->limits->memory ? MIN(room, c->limits->memory / BYTES_FOR_EACH) : room;
}

struct rt_config check_config(const struct check *c)
{
    const struct native_options *o = c->options;
    bool sampling = sched_samples(strategy_of(o));
    enum rt_audit audit = RT_AUDIT_BUDGET;
    check_audit_parse(o->audit, &audit);
    enum { SAMPLES = 10000, THREADS = 8, TAIL = 200000 };
    struct rt_config config = {.mode = RT_EXPLORE,
                              .points = o->points,
                              .races = o->races,
                              .isolate = o->isolate,
                              .audit = audit,
                              .volatile_is_atomic = o->volatiles == 1,
                              .weak_memory = may_be_weak(o),
                              .strategy = strategy_of(o),
                              .bound = (int)c->common.bound,
                              .endless = c->common.bound < 0,
                              .sites = o->suggest_orders,
                              .rising = goes_by_bounds(explore_of(o)),
                              .fair_bound = (int)o->fair_bound,
                              .spurious = c->spurious,
                              .leaks = o->leaks,
                              .locals = o->locals,
                              .digest = o->digest,
                              .all_errors = c->common.all_errors,
                              .max_steps = (size_t)o->max_steps,
                              .max_start = longest_start(c),
                              .tail = TAIL,
                              .memory = c->limits ? c->limits->memory : 0,
                              .seed = c->common.seed >= 0 ? (uint64_t)c->common.seed : 1,
                              .threads = THREADS,
                              .most_threads = c->most_threads ? c->most_threads : (int)o->threads,
                              .most_in_all = c->most_in_all,
                              .holds_back = c->most_threads,
                              .processes = check_processes(c),
                              .max_executions = o->executions                 ? (uint64_t)o->executions
                                                : sampling && !c->common.time ? SAMPLES
                                                                              : 0};
    if (c->journal.path) snprintf(config.journal, sizeof config.journal, "%s", c->journal.path);
    config.input = c->input;
    memcpy(config.exit_accepted, c->exit_accepted, sizeof config.exit_accepted);
    return config;
}

struct native_program check_program(const struct check *c)
{
    return (struct native_program){c->executable, c->arguments, c->options->step_time};
}

/* The program turned out to need another configuration. */
static bool begins_again(const struct rt_shared *s, struct rt_config *config)
{
    if (s->status == RT_PLAINER) {
        config->strategy = config->strategy == SCHED_OPTIMAL ? SCHED_DPOR : SCHED_BPOR;
        return true;
    }
    if (s->status != RT_MORE_THREADS || config->threads == RT_MAX_THREADS) return false;
    config->threads = MIN(config->threads * 2, RT_MAX_THREADS);
    return true;
}

void check_watch(void *context, const struct rt_shared *s)
{
    portfolio_watch(context);
    check_show_progress(context, s);
}

void check_explore_once(struct check *c, struct rt_config config, const struct limits *limits, struct native_run *run)
{
    struct native_program program = check_program(c);
    for (;;) {
        config.far = native_job_explorers(c);
        native_run_init(run, &config);
        symbols_functions(c->symbols, run->shared);
        native_tell_foreign(&c->foreign, run->shared);
        if (c->site_count) memcpy(run->shared->sites, c->sites, c->site_count * sizeof *c->sites);
        run->shared->site_count = c->site_count;
        c->portfolio.search = run;
        if (config.far) native_job_run(c, run, &program, limits);
        else native_run(run, &program, limits, check_watch, c);
        if (!begins_again(run->shared, &config)) break;
        native_run_release(run);
    }
}

void check_explore(struct check *c, struct rt_config config, const struct limits *limits, struct native_run *run)
{
    progress_start(&c->progress, !c->common.quiet && !c->common.json);
    check_explore_once(c, config, limits, run);
    if (run->shared->status == RT_CROWDED) check_limit_threads(c, config, limits, run);
    progress_clear(&c->progress);
}

void check_note_output(struct trace *t, const char *output)
{
    if (!output || !*output) return;
    enum { LINES = 20 };
    vec_push(&t->notes, "the program printed:");
    int lines = 0;
    for (const char *p = output; *p && lines < LINES; lines++) {
        size_t len = strcspn(p, "\n");
        vec_push(&t->notes, arena_printf(&t->arena, "    %.*s", (int)len, p));
        p += len + (p[len] == '\n');
    }
}

static void complete_trace(struct trace *t, struct check *c, int argc, char **argv)
{
    if (!c->hash) c->hash = check_hash(c);
    t->input = arena_strdup(&t->arena, c->files[0]);
    t->input_hash = c->hash ? arena_strdup(&t->arena, c->hash) : NULL;
    bool is_limited = c->most_threads || c->options->threads, is_told = !is_limited;
    const char *limit = arena_printf(&t->arena, "--threads=%d", c->most_threads); /* 0: nothing was held back */
    for (int i = 1; i < argc; i++) {
        if (!is_told && !strcmp(argv[i], "--")) vec_push(&t->options, limit), is_told = true;
        vec_push(&t->options, arena_strdup(&t->arena, argv[i]));
    }
    if (!is_told) vec_push(&t->options, limit);
}

static void print_notes(struct check *c, const struct rt_shared *s)
{
    for (uint32_t i = 0; i < s->note_count; i++) {
        struct source_place p;
        bool known = symbols_place(c->symbols, s->notes[i].pc - 1, &p);
        if (known) fprintf(stderr, "%s:%d: warning: %s: %s\n", p.file, p.line, s->notes[i].name, s->notes[i].meaning);
        else fprintf(stderr, "heddle: warning: %s: %s\n", s->notes[i].name, s->notes[i].meaning);
    }
}

struct foreign { uint32_t count; const char *way_out; bool quiet; };

static void print_foreign(void *context, const char *file, int line, const char *meaning)
{
    struct foreign *f = context;
    enum { MOST = 5 };
    if (!f->way_out) f->way_out = native_way_out(file);
    if (f->count++ < MOST && !f->quiet)
        fprintf(stderr, "%s:%d: warning: %s\n", file, line, meaning);
}

/* Whether the program has code that no compiler could instrument. Whether that is ever run is not known. */
static bool has_foreign_code(const struct check *c, bool quiet)
{
    struct foreign f = {.quiet = quiet};
    native_foreign_code(c->executable, print_foreign, &f);
    const struct rt_shared *s = c->run.shared;
    for (uint32_t i = 0; i < s->library_count; i++) native_foreign_code(s->libraries[i].path, print_foreign, &f);
    if (quiet || !f.count) return f.count;
    fprintf(stderr, "heddle: %u statement%s %s not instrumented, and outside control (--doctor lists them)\n", f.count,
            f.count == 1 ? "" : "s", f.count == 1 ? "is" : "are");
    if (f.way_out) fprintf(stderr, "heddle: %s\n", f.way_out);
    return true;
}

static void fill_ends(const struct sched_stats *stats, struct result *r)
{
    r->ends.known = true;
    r->ends.waiting = stats->ends[SCHED_END_ASSUMED];
    r->ends.cut = stats->ends[SCHED_END_CUTOFF];
    r->ends.abandoned = stats->blocked;
    r->ends.complete = stats->executions - r->ends.waiting - r->ends.cut;
}

static void fill_counts(const struct check *c, struct result *r)
{
    const struct sched_stats *stats = &c->run.shared->stats;
    uint64_t executions = 0, steps = 0;
    r->executions = stats->executions;
    r->blocked = stats->blocked;
    fill_ends(stats, r);
    r->known = stats->known;
    r->resumed = c->run.shared->resumed;
    r->digest = c->run.shared->digest;
    r->transitions = stats->steps;
    r->depth = stats->max_depth;
    r->states = stats->locals;
    r->compile_seconds = c->compile_seconds;
    r->memory_bytes = c->run.shared->peak_memory;
    r->errors = c->run.shared->findings + (c->portfolio.state == SCOUT_FOUND);
    r->estimate = stats->estimate;
    r->cluster.by_parts = true;
    r->cluster.processes = c->job.processes;
    r->cluster.messages = c->job.messages;
    r->cluster.bytes = c->job.bytes;
    r->cluster.parts = c->job.parts;
    double before = 0;
    for (int i = 0; i < stats->levels; i++) {
        const struct sched_level *l = &stats->level[i];
        executions += l->executions;
        steps += l->steps;
        if (l->bound < 0) continue;
        vec_push(&r->bounds, ((struct level){.bound = l->bound,
                                             .complete = l->done,
                                             .states = l->locals,
                                             .transitions = steps,
                                             .executions = executions,
                                             .seconds = MAX(c->run.shared->level_seconds[i], before)}));
        before = MAX(c->run.shared->level_seconds[i], before);
    }
}

/* ---- what was covered ---- */

static void cover_stop(const struct check *c, struct part *p)
{
    const struct rt_shared *s = c->run.shared;
    if (s->diverged) part_omit(p, LOSS_DIVERGED, NULL);
    else if (s->status == RT_LIMIT) part_omit_limit(p, c->run.stopped, c->limits);
    else if (s->stats.stop == SCHED_STOP_MEMORY) part_omit_limit(p, LIMIT_MEMORY, c->limits);
    else if (s->stats.stop == SCHED_STOP_EXECUTIONS && c->has_shares && !c->options->executions)
        part_omit(p, LOSS_SHARE, NULL);
    else if (s->stats.stop == SCHED_STOP_EXECUTIONS) part_omit(p, LOSS_EXECUTIONS, NULL);
    else if (s->stats.ends[SCHED_END_CUTOFF]) part_omit(p, LOSS_MAX_STEPS, NULL);
    else p->reach = s->stats.complete ? REACH_ALL : REACH_PREEMPTIONS;
    if (sched_samples(s->config.strategy)) part_omit(p, LOSS_SAMPLING, NULL);
}

static bool has_uncontrolled_call(const struct rt_shared *s)
{
    for (uint32_t i = 0; i < s->note_count; i++)
        if (!s->notes[i].is_library) return true;
    return false;
}

/* What keeps a complete exploration from being about all schedules. */
static void cover_reservations(struct check *c, struct part *p)
{
    const struct rt_shared *s = c->run.shared;
    char times[64];
    if (s->stats.unfair)
        part_omit(p, LOSS_YIELDS, "%s more than another that could run",
                  counted(times, (uint64_t)s->config.fair_bound, "time"));
    if (s->config.races == RT_RACES_IGNORE && s->config.points == RT_POINTS_SYNC)
        part_omit(p, LOSS_PLAIN_ACCESSES, NULL);
    check_cover_threads(s, p);
    if (has_uncontrolled_call(s) || has_foreign_code(c, true)) part_omit(p, LOSS_CONTROL, NULL);
    cover_foreign(c, p);
    check_cover_audit(c, p);
    if (s->config.races != RT_RACES_ERROR)
        part_omit(p, LOSS_WEAK_MEMORY, "data races are no errors, and each plain access is one step");
}

static const char *const mixed_words[RT_MIXED_KINDS] = {
    [RT_MIXED_SIZES] = "%s is accessed atomically%s, and in another size elsewhere",
    [RT_MIXED_PLAIN] = "%s is accessed plainly%s, and atomically elsewhere",
    [RT_MIXED_LARGE] = "%s is accessed%s under a lock of libatomic, being so large",
};

/* Each place by its name and where it was seen, once. */
static void cover_mixtures(const struct check *c, struct part *p)
{
    const struct rt_shared *s = c->run.shared;
    for (uint32_t i = 0; i < s->mixed_count; i++) {
        const struct rt_mixed *m = &s->mixed[i];
        const char *name = symbols_variable(c->symbols, m->address);
        struct source_place at = {0};
        struct str where = {0};
        if (native_mixed_place(m, c->symbols, &at)) str_printf(&where, " at %s:%d", at.file, at.line);
        part_omit(p, LOSS_MIXED, mixed_words[m->kind], name ? name : "memory", where.at ? where.at : "");
        str_release(&where);
    }
}

/* What does not happen for no reason, if the program makes calls of which it could. */
static void cover_spurious(const struct rt_shared *s, struct part *p)
{
    if (s->spurious_limited && !s->config.spurious) part_omit(p, LOSS_SPURIOUS, "none, as --spurious=0 asks");
    else if (s->spurious_limited) part_omit(p, LOSS_SPURIOUS, "at most %d in an execution", s->config.spurious);
    if (s->spurious_skipped) part_omit(p, LOSS_SPURIOUS, "none where the program waits again");
}

static void cover_assumptions(const struct check *c, struct part *p)
{
    const struct rt_shared *s = c->run.shared;
    struct source_place place;
    bool newest_only = !s->config.weak_memory;
    const char *order = newest_only ? native_weakest_order(s, c->symbols, &place) : NULL;
    if (s->weak_truncated) part_omit(p, LOSS_WEAK_MEMORY, "some access could pass over more than 63 writes");
    if (!newest_only) cover_mixtures(c, p);
    if (order && place.file) part_omit(p, LOSS_WEAK_MEMORY, "%s:%d uses %s", place.file, place.line, order);
    else if (order) part_omit(p, LOSS_WEAK_MEMORY, "the program uses %s", order);
    cover_spurious(s, p);
    native_cover_unexplored(s, p);
    native_cover_waiting(c, p);
    if (!strcmp(c->options->exit, "ignore")) part_omit(p, LOSS_NOT_LOOKED_FOR, "exit statuses");
}

/* An exploration that came to its end and showed nothing. */
static void cover_emptiness(const struct check *c, struct part *p)
{
    const struct rt_shared *s = c->run.shared;
    if (p->reach == REACH_NOTHING || !s->stats.executions) return;
    bool all_assumed = s->stats.ends[SCHED_END_ASSUMED] == s->stats.executions && !s->held_back;
    if (all_assumed) part_omit(p, LOSS_ASSUMED, NULL);
    else if (!s->concurrent) part_omit(p, c->options->sequential ? LOSS_SEQUENTIAL : LOSS_NO_THREADS, NULL);
}

static void cover(struct check *c, struct result *r)
{
    const struct rt_shared *s = c->run.shared;
    struct part *p = coverage_add(&r->coverage, NULL);
    r->coverage.everything = true;
    p->violated = s->status == RT_FOUND || c->portfolio.state == SCOUT_FOUND;
    p->unit = "schedule";
    p->counts = sched_counts_delays(s->config.strategy) ? COUNTS_DELAYS
                : s->weak_seen                          ? COUNTS_STALE
                                                        : COUNTS_PREEMPTIONS;
    p->counts_spurious = s->spurious_offered;
    p->explored = r->executions;
    for (int i = 0; i < s->stats.levels; i++)
        if (s->stats.level[i].bound >= 0 && s->stats.level[i].done) p->bound = s->stats.level[i].bound;
    if (s->status == RT_UNABLE) {
        part_omit(p, LOSS_UNABLE, "%s", s->finding.message);
        return;
    }
    cover_stop(c, p);
    cover_reservations(c, p);
    cover_assumptions(c, p);
    cover_emptiness(c, p);
}

static void explain_divergence(struct check *c)
{
    const struct rt_shared *s = c->run.shared;
    struct source_place p;
    bool known = s->diverged_pc && symbols_place(c->symbols, s->diverged_pc - 1, &p);
    if (s->stats.stop != SCHED_STOP_DIVERGED) {
        fprintf(stderr, "heddle: the first schedule, repeated at the end, led to something else\n");
    } else {
        fprintf(stderr,
                "heddle: the same schedule led to something else: at step %zu thread %d was expected to %s, and was "
                "about to %s",
                s->divergence.step + 1, s->divergence.thread, sched_kind_name(s->divergence.expected.kind),
                sched_kind_name(s->divergence.found.kind));
        if (known) fprintf(stderr, " at %s:%d", p.file, p.line);
        fputc('\n', stderr);
    }
    fprintf(stderr, "heddle: likely sources: files that the program itself writes, input from outside, process ids, "
                    "memory that the "
                    "program maps itself; try --isolate=fork\n");
}

/* The searches that go bound after bound find the fewest preemptions by themselves. */
bool check_minimises(const struct rt_config *c)
{
    return c->strategy == SCHED_ICB ||
           ((c->strategy == SCHED_BPOR || c->strategy == SCHED_BPOR_PLAIN) && c->rising);
}

void check_keep_trace(struct check *c, const struct check_job *job, struct result *r,
                      const struct native_run *recorded)
{
    struct trace *t = native_trace(recorded, c->symbols);
    check_note_output(t, recorded->output);
    complete_trace(t, c, job->argc, job->argv);
    result_write_trace(r, t, NULL, job);
    trace_free(t);
}

/* There was no time to run the schedule again. It is written as it was found: a replay shows what happens in it. */
static void report_bare(struct check *c, const struct check_job *job, struct result *r, const struct rt_shared *from,
                        const struct native_run *recorded)
{
    struct trace *t = native_bare_trace(from, recorded->shared, c->symbols);
    struct str why = {0};
    complete_trace(t, c, job->argc, job->argv);
    r->error = t;
    str_printf(&why, "%s before its schedule was run again",
               recorded->stopped == LIMIT_INTERRUPT ? "the run was interrupted"
               : recorded->stopped == LIMIT_MEMORY  ? "the memory limit was reached"
                                                    : "the time limit was reached");
    r->no_detail = why.at;
    result_write_trace(r, t, why.at, job);
    if (!job->common.quiet && !job->common.json && r->trace_path) report_replay(t, r->trace_path);
}

/* The portfolio does not find errors in order of preemptions. Returns the proved lower bound if the error is above it,
 * otherwise -1. */
static long lower_bound_of(const struct result *r, const struct trace *t)
{
    struct trace_counts n = trace_count(t);
    long cost = n.preemptions + n.stale_reads + n.early_writes + n.spurious;
    return r->maybe_simpler && r->needed < cost ? (long)r->needed : -1;
}

/* The failing schedule, recorded: what is printed is what this independent run showed. */
static void report_recorded(struct check *c, const struct check_job *job, struct result *r,
                            struct native_run *recorded)
{
    check_prefer_interleaving(c, recorded);
    struct trace *t = native_trace(recorded, c->symbols);
    t->at_least = lower_bound_of(r, t);
    check_note_output(t, recorded->output);
    const char *why = check_explain_preemption(c, recorded, t);
    complete_trace(t, c, job->argc, job->argv);
    r->error = t;
    result_write_trace(r, t, why, job);
    if (!job->common.quiet && !job->common.json) {
        enum { SCREEN = 60 };
        report_trace(t, (struct report){.why = why,
                                        .trace_path = r->trace_path,
                                        .color = wants_color(job->common.no_color),
                                        .most_steps = job->common.verbose ? 0 : SCREEN});
    }
}

static bool was_cut(const struct native_run *recorded)
{
    return recorded->stopped && recorded->shared->status != RT_FOUND;
}

/* The trace is written before anything is tried that may take long. */
static void report_error(struct check *c, const struct check_job *job, struct result *r)
{
    const struct rt_shared *s = c->run.shared;
    struct native_run recorded;
    check_record_soon(c, s, &recorded);
    if (was_cut(&recorded)) {
        report_bare(c, job, r, s, &recorded);
    } else if (!check_same_failure(s, recorded.shared)) {
        part_omit(coverage_add(&r->coverage, NULL), LOSS_REPEAT,
                  "a schedule failed (%s) but not when it was repeated: the program does not repeat itself",
                  s->finding.message);
    } else {
        bool may_be_simpler = !check_minimises(&s->config) || s->provisional || s->unbounded.found;
        bool may_be_shorter = check_is_long(&recorded);
        if (may_be_simpler || may_be_shorter || s->weak_seen) check_keep_trace(c, job, r, &recorded);
        if (may_be_simpler) check_simplify(c, &recorded);
        if (may_be_shorter) check_shorten(c, &recorded);
        report_recorded(c, job, r, &recorded);
    }
    native_run_release(&recorded);
}

static void report_scout(struct check *c, const struct check_job *job, struct result *r)
{
    struct portfolio *p = &c->portfolio;
    if (was_cut(&p->found)) report_bare(c, job, r, p->scout.shared, &p->found);
    else report_recorded(c, job, r, &p->found);
}

/* Those that come to light again when they are run once more; the first one was reported already. */
static void report_other_errors(struct check *c, const struct check_job *job, struct result *r)
{
    struct rt_shared *s = c->run.shared;
    struct rt_finding first = s->finding;
    for (uint64_t i = 0; r->error && i < MIN(s->findings, RT_MAX_NOTES); i++) {
        const struct rt_finding *f = &s->more[i].finding;
        struct native_run recorded;
        if ((f->kind == first.kind && f->site == first.site) || !native_turn_to(s, i)) continue;
        check_record(c, s, SIZE_MAX, &recorded);
        if (check_same_failure(s, recorded.shared)) {
            if (!check_minimises(&s->config)) check_simplify(c, &recorded);
            check_prefer_interleaving(c, &recorded);
            struct trace *t = native_trace(&recorded, c->symbols);
            check_note_output(t, recorded.output);
            complete_trace(t, c, job->argc, job->argv);
            result_add_error(r, t, NULL, job);
        }
        native_run_release(&recorded);
    }
}

/* A default check has a search without a bound beside it (src/runtime/unbounded.c). */
static struct rt_config whole_config(const struct check *c)
{
    const struct native_options *o = c->options;
    struct rt_config config = check_config(c);
    bool counts_all = o->locals || o->digest || c->common.all_errors || c->common.verify != VERIFY_NOT;
    config.unbounded = o->explore == EXPLORE_DEFAULT && c->common.bound < 0 && !o->executions && !counts_all &&
                       o->isolate != RT_ISOLATE_FORK;
    config.near = config.unbounded;
    return config;
}

/* The search by bounds came to a limit before it found an error as simple as the one that is known. */
static void take_unbounded_error(struct rt_shared *s)
{
    if (s->findings || !s->unbounded_failed || s->diverged) return;
    if (s->status != RT_LIMIT && s->status != RT_FINISHED) return;
    s->findings = 1;
    s->status = RT_FOUND;
    s->unbounded.found = true;
}

static int run_check(struct check *c, const struct check_job *job, struct result *r)
{
    double started = seconds_now();
    bool talk = !job->common.quiet && !job->common.json;
    if (c->options->estimate) check_estimate(c, r);
    c->shows_ledger = true;
    c->divides = !undivided(c->options, may_be_weak(c->options));
    check_explore(c, whole_config(c), portfolio_begin(c, job, r), &c->run);
    take_unbounded_error(c->run.shared);
    portfolio_end(c, r);
    c->divides = false;
    c->shows_ledger = false;
    const struct rt_shared *s = c->run.shared;
    if (!undivided(c->options, may_be_weak(c->options))) tell_undivided(job, undivided(c->options, s->weak_seen));
    r->explored_by = other_strategy(c);
    tell_other_strategy(job, r->explored_by);
    r->seconds = seconds_now() - started;
    fill_counts(c, r);
    cover(c, r);
    if (s->status == RT_UNABLE) { /* there is nothing that --verify could compare either */
        if (talk) native_advise(c, job, r);
        return 0;
    }
    if (talk && !c->has_shares) check_print_ledger(c, s, s->stats.levels);
    if (talk) check_print_unbounded(c, r);
    if (talk) check_print_near(c, r);
    if (talk) check_print_team(c, r);
    if (talk && job->common.verbose && c->job.processes && !job->common.no_times)
        printf("%llu processes: %llu parts were explored by others than the first, which sent and got %llu messages\n",
               (unsigned long long)c->job.processes, (unsigned long long)c->job.parts,
               (unsigned long long)c->job.messages);
    print_notes(c, s);
    has_foreign_code(c, false);
    print_foreign_functions(c);
    check_print_audit(c);
    if (s->diverged) explain_divergence(c);
    if (s->status == RT_FOUND) report_error(c, job, r);
    else if (c->portfolio.state == SCOUT_FOUND) report_scout(c, job, r);
    if (job->common.verify == VERIFY_RESULT) verify_program(c, r);
    if (job->common.verify == VERIFY_SWAP) verify_swaps(c, r);
    if (c->options->suggest_orders) suggest_orders(c, r);
    if (s->config.all_errors && s->findings > 1) report_other_errors(c, job, r);
    if (talk && result_wants_advice(r, job->common.no_times)) native_advise(c, job, r);
    return 0;
}

const char **check_arguments(const char **words, size_t count)
{
    const char **v = xcalloc(count + 1, sizeof *v);
    for (size_t i = 0; i < count; i++) v[i] = words[i];
    return v;
}

static bool has_no_bound(int explore)
{
    enum sched_strategy s = strategies[explore];
    return s == SCHED_OPTIMAL || s == SCHED_DPOR || s == SCHED_DPOR_PLAIN ||
           (sched_samples(s) && s != SCHED_PCT);
}

static int run(const struct check_job *job, struct result *result)
{
    const struct native_options *o = job->options;
    tell_undivided(job, undivided(o, may_be_weak(o)));
    int explore = explore_of(o);
    bool draws = sched_samples(strategies[explore]) || job->common.verify == VERIFY_SWAP || portfolio_is_wanted(job);
    if (job->common.seed >= 0 && !draws) {
        fprintf(stderr, "heddle: error: --explore=%s draws nothing at random; "
                        "--seed is for random, pct, pos, surw, rff, rare\n",
                explore_names[explore]);
        return EXIT_BAD_INPUT;
    }
    if (job->common.bound >= 0 && has_no_bound(explore)) {
        fprintf(stderr,
                "heddle: error: --explore=%s knows no bound on preemptions; bpor, icb, cb-por, dfs and fair do\n",
                explore_names[explore]);
        return EXIT_BAD_INPUT;
    }
    if (sched_is_for_interleavings(strategies[explore]) && o->memory == 0) {
        fprintf(stderr, "heddle: error: --explore=%s knows interleavings only: add --memory-model=sc\n",
                explore_names[explore]);
        return EXIT_BAD_INPUT;
    }
    struct check c = {.options = job->options, .copies = job->text ? job->copies : NULL,
                      .common = job->common,
                      .limits = &job->limits,
                      .files = job->files,
                      .file_count = job->file_count,
                      .arguments = check_arguments(job->rest, job->rest_count)};
    int status = check_prepare(&c);
    if (!status && c.options->doctor) {
        native_doctor(c.executable, stdout);
        result->nothing_to_report = true;
    } else if (!status && cluster_is_other()) {
        native_job_serve(&c);
        result->nothing_to_report = true;
    } else if (!status) status = run_check(&c, job, result);
    if (status == EXIT_UNKNOWN) { /* a limit was reached while compiling */
        struct part *p = coverage_add(&result->coverage, NULL);
        result->coverage.everything = true;
        p->unit = "schedule";
        part_omit_limit(p, limits_reached(&job->limits), &job->limits);
        status = 0;
    }
    check_release(&c);
    return status;
}

const struct engine engine_native = {
    .name = "native",
    .title = "options for C and C++ programs",
    .accepts = accepts,
    .rows = rows,
    .row_count = ARRAY_LEN(rows),
    .options_size = sizeof(struct native_options),
    .options_init = options_init,
    .run = run,
    .replay = native_replay,
    .distrusts = native_distrusts,
    .simplify = native_simplify,
};
