/* heddle replay of a trace of a real program: build it again, run the schedule, compare; or under gdb. */
#define _GNU_SOURCE
#include "check/native_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char gdb_script[] =
    "set pagination off\nset confirm off\nset print thread-events off\nset breakpoint pending on\n"
    "handle SIGTRAP stop print nopass\n"
    "set environment LD_BIND_NOW 1\nset environment GLIBC_TUNABLES glibc.pthread.rseq=0\n"
    "set $heddle_goal = 0\n"
    "define heddle_where\n  printf \"heddle: step %d, thread %d\\n\", heddle_step_number, heddle_step_thread\n"
    "  backtrace 8\nend\n"
    "define forward\n  if $argc == 0\n    set $heddle_goal = heddle_step_number + 1\n  else\n"
    "    set $heddle_goal = heddle_step_number + $arg0\n  end\n"
    "  tbreak heddle_step if heddle_step_number >= $heddle_goal\n  continue\n  heddle_where\nend\n"
    "document forward\nheddle: go forward by one scheduling step, or by as many as given\nend\n"
    "define back\n  if $argc == 0\n    set $heddle_goal = heddle_step_number - 1\n  else\n"
    "    set $heddle_goal = heddle_step_number - $arg0\n  end\n"
    "  if $heddle_goal < 1\n    set $heddle_goal = 1\n  end\n"
    "  tbreak heddle_step if heddle_step_number >= $heddle_goal\n  run\n  heddle_where\nend\n"
    "document back\nheddle: go back by one scheduling step, or by as many as given\nend\n"
    "echo heddle: the program runs the failing schedule; `back` and `forward` go by scheduling steps, `threads` shows "
    "all stacks, `info threads` and `thread apply all` are about the program's threads\\n\n"
    "define heddle_begin\n  run\n  heddle_where\nend\n";

/* The threads of the program are contexts on one kernel thread, which is all that gdb knows of. Those that do not run
 * left their registers on their stacks (runtime/switch.c, x86-64). Steps are numbered as in the trace, some rows of
 * which are several steps (`rows`: how many up to each). A gdb without Python goes on without this. */
static const char gdb_threads[] =
    "import gdb\n"
    "SAVED = ('r15', 'r14', 'r13', 'r12', 'rbx', 'rbp', 'rip') # above the control words\n"
    "def is_own(frame):\n"
    "    table = frame.find_sal().symtab\n"
    "    return table is not None and not table.filename.startswith(('/usr/lib/heddle/', '/usr/include/'))\n"
    "def select_own(event=None):\n"
    "    frame = gdb.newest_frame()\n"
    "    while frame is not None and not is_own(frame): frame = frame.older()\n"
    "    if frame is not None: frame.select()\n"
    "def own_stack():\n"
    "    frame, n = gdb.newest_frame(), 0\n"
    "    while frame is not None and n < 20:\n"
    "        if is_own(frame):\n"
    "            place = frame.find_sal()\n"
    "            print('  #%d %s at %s:%d' % (n, frame.name(), place.symtab.filename, place.line))\n"
    "            n += 1\n"
    "        frame = frame.older()\n"
    "def runtime():\n"
    "    for name in ('rt', 'rt_wide'): # one of the two is at work\n"
    "        rt = gdb.parse_and_eval(name)\n"
    "        if int(rt['shared']): return rt\n"
    "def of_each(show):\n"
    "    gdb.newest_frame().select()\n"
    "    kept = {r: int(gdb.parse_and_eval('(unsigned long)$' + r)) for r in SAVED + ('rsp',)}\n"
    "    memory = gdb.selected_inferior()\n"
    "    word = lambda at: int.from_bytes(memory.read_memory(at, 8).tobytes(), 'little')\n"
    "    def put(values):\n"
    "        gdb.newest_frame().select() # registers of others cannot be set\n"
    "        for r in values: gdb.execute('set $%s = %d' % (r, values[r]), to_string=True)\n"
    "    rt = runtime()\n"
    "    for i in range(int(rt['numbering']['next'])):\n"
    "        t = (rt['threads'] + i).dereference()\n"
    "        if not t['live'] or t['finished']: continue\n"
    "        runs, name, sp = int(rt['self']['id']) == i, 'main' if i == 0 else 'T%d' % i, int(t['sp'])\n"
    "        try:\n"
    "            if not runs:\n"
    "                put({**{r: word(sp + 8 + 8 * k) for k, r in enumerate(SAVED)}, 'rsp': sp + 8 + 8 * len(SAVED)})\n"
    "            show(name, runs)\n"
    "        finally: put(kept)\n"
    "    select_own()\n"
    "def show_stack(name, runs):\n"
    "    print('%s%s' % (name, ', which runs' if runs else ''))\n"
    "    own_stack()\n"
    "def show_line(name, runs):\n"
    "    select_own()\n"
    "    frame = gdb.selected_frame()\n"
    "    place = frame.find_sal()\n"
    "    where = ' at %s:%d' % (place.symtab.filename, place.line) if is_own(frame) else ''\n"
    "    print('%s %-5s %s%s' % ('*' if runs else ' ', name, frame.name(), where))\n"
    "def has_failed(): return int(runtime()['found']['kind']) != 0\n"
    "def row_now():\n"
    "    if has_failed(): return row_count\n"
    "    return bisect.bisect_left(rows, int(gdb.parse_and_eval('heddle_step_number'))) + 1\n"
    "def where():\n"
    "    print('heddle: step %d, thread %d' % (row_now(), int(runtime()['self']['id'])))\n"
    "    own_stack()\n"
    "    select_own()\n"
    "    if is_own(gdb.selected_frame()): gdb.execute('frame')\n"
    "def go_to(row, command):\n"
    "    if row <= len(rows):\n"
    "        stop = gdb.Breakpoint('heddle_step', temporary=True, internal=True)\n"
    "        stop.condition = 'heddle_step_number >= %d' % rows[max(row, 1) - 1]\n"
    "    gdb.execute(command, to_string=True)\n"
    "    if gdb.selected_inferior().pid: where()\n"
    "class Begin(gdb.Command):\n"
    "    def __init__(self): super().__init__('heddle_begin', gdb.COMMAND_RUNNING)\n"
    "    def invoke(self, argument, from_tty):\n"
    "        gdb.execute('run', to_string=True)\n"
    "        if not gdb.selected_inferior().pid: return print('heddle: the program has ended')\n"
    "        print('heddle: fails: ' + runtime()['found']['message'].string())\n"
    "        where()\n"
    "class Forward(gdb.Command):\n"
    "    \"heddle: go forward by one scheduling step, or by as many as given\"\n"
    "    def __init__(self): super().__init__('forward', gdb.COMMAND_RUNNING)\n"
    "    def invoke(self, argument, from_tty):\n"
    "        if has_failed(): return print('the schedule is at its end')\n"
    "        go_to(row_now() + int(argument or 1), 'continue')\n"
    "class Back(gdb.Command):\n"
    "    \"heddle: go back by one scheduling step, or by as many as given\"\n"
    "    def __init__(self): super().__init__('back', gdb.COMMAND_RUNNING)\n"
    "    def invoke(self, argument, from_tty): go_to(min(row_now() - int(argument or 1), len(rows)), 'run')\n"
    "class Threads(gdb.Command):\n"
    "    \"heddle: all threads of the program with their stacks\"\n"
    "    def __init__(self): super().__init__('threads', gdb.COMMAND_STACK)\n"
    "    def invoke(self, argument, from_tty): of_each(show_stack)\n"
    "class InfoThreads(gdb.Command):\n"
    "    \"heddle: all threads of the program\"\n"
    "    def __init__(self): super().__init__('info threads', gdb.COMMAND_STATUS)\n"
    "    def invoke(self, argument, from_tty): of_each(show_line)\n"
    "class ApplyAll(gdb.Command):\n"
    "    \"heddle: a command for each thread of the program\"\n"
    "    def __init__(self): super().__init__('thread apply all', gdb.COMMAND_STATUS)\n"
    "    def invoke(self, argument, from_tty):\n"
    "        if argument.split()[:1] in (['bt'], ['backtrace'], ['where']): return of_each(show_stack)\n"
    "        def show(name, runs):\n"
    "            print(name)\n"
    "            select_own()\n"
    "            gdb.execute(argument)\n"
    "        of_each(show)\n"
    "Begin()\n"
    "Forward()\n"
    "Back()\n"
    "Threads()\n"
    "InfoThreads()\n"
    "ApplyAll()\n"
    "gdb.events.stop.connect(select_own)\n"
    "end\n";

struct native_replay { struct native_command command; struct check check; };

/* The options that a trace recorded are those of the check it came from. */
const char *native_command_of_trace(const struct trace *t, struct native_command *c)
{
    VEC(char *) argv = {0};
    const char *error = NULL;
    c->common = (struct common_options)COMMON_OPTIONS_DEFAULT;
    engine_native.options_init(&c->options);
    vec_push(&argv, "check");
    for (size_t i = 0; i < t->options.len; i++) vec_push(&argv, (char *)t->options.at[i]);
    struct option_table tables[] = {{"", common_option_rows, common_option_count, &c->common},
                                    {"", engine_native.rows, engine_native.row_count, &c->options}};
    options_parse(tables, 2, (int)argv.len, argv.at, &c->words, &c->rest, &c->arena, &error);
    vec_release(&argv);
    return error;
}

void native_command_release(struct native_command *c)
{
    vec_release(&c->words);
    vec_release(&c->rest);
    vec_release(&c->options.libraries);
    arena_release(&c->arena);
}

static void prepare(struct native_replay *r, const struct trace *t)
{
    struct native_command *c = &r->command;
    const char *error = native_command_of_trace(t, c), *slash = strrchr(t->input, '/');
    if (error) die("in the trace's options: %s", error);
    if (!c->words.len) die("the trace names no input");
    const char *copies = t->text && slash ? arena_strndup(&c->arena, t->input, (size_t)(slash - t->input)) : NULL;
    r->check = (struct check){.options = &c->options,
                              .common = c->common,
                              .most_threads = (int)c->options.threads,
                              .most_in_all = RT_MAX_THREADS,
                              .files = c->words.at,
                              .file_count = c->words.len,
                              .copies = copies,
                              .arguments = check_arguments(c->rest.at, c->rest.len)};
}

static void replay_release(struct native_replay *r)
{
    check_release(&r->check);
    native_command_release(&r->command);
}

static bool fits(const struct native_replay *r, const struct trace *t)
{
    char *hash = check_hash(&r->check);
    bool same = hash && t->input_hash && !strcmp(hash, t->input_hash);
    if (!same && t->input_hash)
        fprintf(stderr, "heddle: warning: the program has changed since the trace was written\n");
    free(hash);
    return same;
}

static int not_reproduced(const struct native_run *run, bool same_program)
{
    struct str s = {0};
    if (run->shared->diverged)
        str_printf(&s, "the trace does not fit the program: at step %zu it does something else",
                   run->shared->divergence.step + 1);
    else if (same_program)
        str_add(&s, "the schedule ran, but did not fail this time: the program does not repeat itself");
    else str_add(&s, "the schedule still runs, but no longer ends in the error");
    return result_print_not_reproduced(s.at);
}

static void init_run(struct native_replay *r, const struct trace *t, bool stop_at_end, struct native_run *run)
{
    struct rt_config config = check_config(&r->check);
    config.mode = RT_RECORD;
    config.isolate = RT_ISOLATE_RESET;
    config.stop_at_end = stop_at_end;
    bool may_be_of_the_audit = t->kind && !strcmp(t->kind, "memory") && config.audit != RT_AUDIT_OFF;
    config.audit = may_be_of_the_audit ? RT_AUDIT_EVERY : RT_AUDIT_OFF;
    if ((int)t->threads.len > config.threads) config.threads = MIN((int)t->threads.len, RT_MAX_THREADS);
    native_run_init(run, &config);
    symbols_functions(r->check.symbols, run->shared);
    const char *wrong = native_schedule_of_trace(t, run->shared);
    if (wrong) die("the trace cannot be replayed: %s", wrong);
    struct rt_config *own = &run->shared->config;
    if (t->kind && !strcmp(t->kind, "livelock") && own->schedule_len)
        own->max_steps = own->schedule_len, own->max_start = 0;
    if (own->schedule_len > own->max_steps)
        own->max_steps = own->schedule_len, own->max_start = RT_MAX_STEPS - own->schedule_len;
}

static void run_trace(struct native_replay *r, const struct trace *t, struct native_run *run)
{
    struct limits limits = limits_within(r->check.limits, 60);
    struct native_program program = check_program(&r->check);
    init_run(r, t, false, run);
    native_run(run, &program, &limits, NULL, NULL);
}

static int run_again(struct native_replay *r, const struct trace *t, const struct replay_options *o)
{
    struct native_run run;
    bool same = fits(r, t);
    run_trace(r, t, &run);
    int status;
    if (run.shared->status != RT_FOUND) {
        status = not_reproduced(&run, same);
    } else {
        struct trace *now = native_trace(&run, r->check.symbols);
        check_note_output(now, run.output);
        report_trace(now, replay_style(o));
        status = result_print_reproduced(now);
    }
    native_run_release(&run);
    return status;
}

/* The runtime for many threads has these names of its own. */
static char *for_runtime(const char *script, bool wide)
{
    static const char step[] = "heddle_step";
    struct str out = {0};
    for (const char *p = script; *p;) {
        size_t len = strncmp(p, step, strlen(step)) ? 1 : strspn(p, "abcdefghijklmnopqrstuvwxyz_");
        str_printf(&out, "%.*s%s", (int)len, p, len > 1 && wide ? "_wide" : "");
        p += len;
    }
    return out.at;
}

static char *write_script(struct tempdir *directory, const char *name, const char *text)
{
    char *path = tempdir_file(directory, name);
    FILE *f = fopen(path, "w");
    bool written = f && fputs(text, f) >= 0;
    if (!f || fclose(f) || !written) die("cannot write %s: %s", path, strerror(errno));
    return path;
}

/* After how many steps of the schedule each row of the trace is done; the last one may be the failure itself. */
static char *script_for_threads(const struct trace *t, bool wide)
{
    struct str out = {0};
    char *rest = for_runtime(gdb_threads, wide);
    size_t steps = 0;
    str_printf(&out, "python\nimport bisect\nrow_count, rows = %zu, [", t->steps.len);
    for (size_t i = 0; i < t->steps.len; i++)
        if (t->steps.at[i].picks.len) str_printf(&out, "%zu, ", steps += t->steps.at[i].picks.len);
    str_printf(&out, "]\n%s", rest);
    free(rest);
    return out.at;
}

/* Not in a process group of its own: gdb needs the terminal. */
static int under_gdb(struct native_replay *r, const struct trace *t)
{
    struct native_run run;
    struct tempdir directory = {0};
    struct process gdb = {.in_child = native_become, .context = &run};
    init_run(r, t, true, &run);
    fits(r, t);
    tempdir_require(&directory);
    bool wide = run.shared->config.threads > SCHED_MAX_THREADS;
    char *texts[] = {for_runtime(gdb_script, wide), script_for_threads(t, wide), xstrdup("heddle_begin\n")};
    char *paths[] = {write_script(&directory, "commands", texts[0]), write_script(&directory, "threads", texts[1]),
                     write_script(&directory, "begin", texts[2])};
    native_environment(&run, &gdb.environment);
    words_split(&gdb.words, getenv("HEDDLE_GDB") ? getenv("HEDDLE_GDB") : "gdb");
    const char *const fixed[] = {"-q", "-x", paths[0], "-x", paths[1], "-x", paths[2], "--args", r->check.executable};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++) words_add(&gdb.words, fixed[i]);
    for (const char *const *a = r->check.arguments; *a; a++) words_add(&gdb.words, *a);
    int status = process_run(&gdb, NULL);
    if (status == PROCESS_NOT_STARTED) fprintf(stderr, "heddle: error: gdb cannot be started\n");
    process_release(&gdb);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) free(texts[i]), free(paths[i]);
    tempdir_remove(&directory);
    native_run_release(&run);
    return status;
}

int native_replay(const struct trace *trace, const struct replay_options *o)
{
    struct native_replay r = {0};
    prepare(&r, trace);
    int status = check_prepare(&r.check);
    if (!status) status = o->gdb ? under_gdb(&r, trace) : run_again(&r, trace, o);
    replay_release(&r);
    return status;
}

/* What a trace says beside its steps goes over to the better one. */
static void copy_head(struct trace *to, const struct trace *from)
{
    to->input = arena_strdup(&to->arena, from->input);
    to->needs_trust = from->needs_trust;
    to->input_hash = from->input_hash ? arena_strdup(&to->arena, from->input_hash) : NULL;
    for (size_t i = 0; i < from->options.len; i++)
        vec_push(&to->options, arena_strdup(&to->arena, from->options.at[i]));
}

/* What was done to the recorded run, or NULL. */
static const char *make_simpler(struct check *c, struct native_run *run)
{
    bool reordered = check_simplify(c, run);
    if (check_prefer_interleaving(c, run)) return "simplified: an ordinary interleaving fails in the same way";
    return reordered ? "simplified: the same steps in another order" : NULL;
}

static char *simplify_run(struct native_replay *r, const struct trace *trace, struct trace **better)
{
    struct native_run run;
    const char *line = "the trace no longer fits its program", *done;
    fits(r, trace);
    run_trace(r, trace, &run);
    if (run.shared->status == RT_FOUND && (done = make_simpler(&r->check, &run))) {
        *better = native_trace(&run, r->check.symbols);
        check_note_output(*better, run.output);
        copy_head(*better, trace);
        line = done;
    } else if (run.shared->status == RT_FOUND) {
        line = "nothing changed: no other order of these steps has fewer preemptions";
    }
    native_run_release(&run);
    return xstrdup(line);
}

char *native_simplify(const struct trace *trace, const struct replay_options *o, struct trace **better)
{
    (void)o;
    struct native_replay r = {0};
    prepare(&r, trace);
    char *line = check_prepare(&r.check) ? NULL : simplify_run(&r, trace, better);
    replay_release(&r);
    return line;
}
