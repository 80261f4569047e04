/* Options that are spelled otherwise here, or belong to another kind of input. */
#include "cli/input_int.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Spin's, and those of the verifiers that it makes. A word that ends with # is followed by a number. */
static const struct {
    const char *word, *here;
} habits[] = {
    {"-a", "heddle check does all in one step; for cycles through accept labels: --acceptance"},
    {"-run", "heddle check is all that is needed"},
    {"-search", "heddle check is all that is needed"},
    {"-f", "--fair (weak fairness), with a property"},
    {"-l", "--progress (cycles without progress)"},
    {"-n", "-q prints the verdict only"},
    {"-m#", "the default search has no limit of depth; --search=dfs --depth N has one"},
    {"-w#", "nothing: the table grows by itself"},
    {"-k#", "nothing: --bitstate uses three bits per state"},
    {"-c#", "--all-errors (the default is to stop at the first)"},
    {"-e", "--all-errors"},
    {"-i", "the default search finds the simplest error at once; with --search=dfs: --shorten"},
    {"-I", "the default search finds the simplest error at once; with --search=dfs: --shorten"},
    {"-E", "--no-deadlock"},
    {"-A", "there is no option that ignores assertions"},
    {"-N", "--claim NAME or --ltl NAME"},
    {"-L#", "-b N (preemptions); the published algorithm: --spin-bcs -b N"},
    {"-u#", "--time S, or heddle sim --steps N"},
    {"-x", "nothing: an existing trace is overwritten"},
    {"-bitstate", "--bitstate"},
    {"-hc", "--hash-compact"},
    {"-bfs", "--search=bfs"},
    {"-dfs", "--search=dfs"},
    {"-bcs", "--spin-bcs"},
    {"-ltl", "--ltl NAME"},
    {"-safety", "--no-claims"},
    {"-noreduce", "--no-por"},
    {"-nobound", "leave -b out"},
    {"-collapse", "nothing: the default search compresses states by itself"},
    {"-o#", "--exact turns all of these off (-o1 to -o3); a trace is written with -o FILE"},
    {"-t", "heddle replay MODEL.pml.trail"},
    {"-p", "heddle sim prints every step"},
    {"-g", "heddle sim prints what changes"},
    {"-s", "heddle sim prints every step"},
    {"-r", "heddle sim prints every step"},
};

/* Macros with which verifiers of Spin are compiled. */
static const struct {
    const char *macro, *here;
} macros[] = {
    {"BITSTATE", "--bitstate"},    {"HC", "--hash-compact"},    {"HC4", "--hash-compact"},
    {"NOREDUCE", "--no-por"},      {"BFS", "--search=bfs"},     {"BFS_PAR", "-j N, which is the default"},
    {"BCS", "--spin-bcs -b N"},    {"NP", "--progress"},        {"SAFETY", "--no-claims"},
    {"REACH", "--shorten"},        {"NOCLAIM", "--no-claims"},  {"NFAIR", "nothing: --fair has no limit"},
    {"COLLAPSE", "nothing: the default search compresses states by itself"},
    {"MEMLIM", "--memory SIZE"},   {"VECTORSZ", "nothing: states are as large as they need to be"},
};

void warn_about_macro(const char *word, const char *model)
{
    if (strncmp(word, "-D", 2)) return;
    size_t len = strcspn(word + 2, "=");
    for (size_t i = 0; i < ARRAY_LEN(macros); i++) {
        const char *name = macros[i].macro;
        if (strlen(name) == len && !strncmp(name, word + 2, len) && !mentions_word(model, name))
            fprintf(stderr, "heddle: warning: -D%s is for the compiler of a verifier of spin, and the model does not "
                            "mention it; here: %s\n", name, macros[i].here);
    }
}

static bool fits(const char *word, const char *habit)
{
    size_t n = strlen(habit);
    if (habit[n - 1] != '#') return !strcmp(word, habit);
    return !strncmp(word, habit, n - 1) && !word[n - 1 + strspn(word + n - 1, "0123456789")];
}

static const char *answer_to_spin(const char *word, bool promela, struct arena *a)
{
    for (size_t i = 0; i < ARRAY_LEN(habits); i++) {
        if (!fits(word, habits[i].word)) continue;
        if (!promela) return arena_printf(a, "%s is an option of spin or pan, which are for Promela models", word);
        return arena_printf(a, "%s is an option of spin or pan; here: %s", word, habits[i].here);
    }
    return NULL;
}

static bool has_option(const struct option *rows, size_t count, const char *name)
{
    size_t len = strcspn(name, "=");
    for (size_t i = 0; i < count; i++)
        if (strlen(rows[i].name) == len && !strncmp(rows[i].name, name, len)) return true;
    return false;
}

static bool has_letter(const struct option *rows, size_t count, char letter)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].letter && rows[i].letter == letter) return true;
    return false;
}

/* Flags that people are used to give to a compiler; not a list of all of them. */
static const char *answer_to_compiler(const char *word, struct arena *a)
{
    static const char *const flags[] = {"-D", "-U", "-I", "-O", "-W", "-std=", "-g", "-pthread", "-w",
                                        "-include", "-isystem", "-iquote", "-pedantic", "-ansi"};
    if (!strncmp(word, "-L", 2) || !strncmp(word, "-Wl,", 4))
        return arena_printf(a, "%s is for the linker; here: --ldflags='%s'", word, word);
    bool known = (word[1] == 'f' || word[1] == 'm') && isalpha((unsigned char)word[2]);
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) known |= !strncmp(word, flags[i], strlen(flags[i]));
    if (known) return arena_printf(a, "%s is for the compiler; here: --cflags='%s'", word, word);
    return NULL;
}

static const char *answer_by_engine(const char *word, const struct engine *e, struct arena *a)
{
    const char *owners = NULL;
    for (size_t i = 0; i < engine_count; i++)
        if (engines[i] != e && has_letter(engines[i]->rows, engines[i]->row_count, word[1]))
            owners = owners ? arena_printf(a, "%s, and one of the %s", owners, engines[i]->title) : engines[i]->title;
    return owners ? arena_printf(a, "%.2s is one of the %s", word, owners) : NULL;
}

/* Words with one dash. What begins with a letter that is an option here may still be a word of Spin's. */
static const char *answer_to_short(const char *word, const struct engine *e, struct arena *a)
{
    bool promela = !e || !strcmp(e->name, "explicit");
    bool spins_word = !strcmp(word, "-bitstate") || !strcmp(word, "-bfs") || !strcmp(word, "-bcs") ||
                      (promela && word[1] == 'o' && word[2] >= '1' && word[2] <= '5' && !word[3]);
    bool own = has_letter(common_option_rows, common_option_count, word[1]) ||
               (e && has_letter(e->rows, e->row_count, word[1]));
    if (own && !spins_word) return NULL;
    const char *answer = NULL;
    if (e && !strcmp(e->name, "native") && !spins_word) answer = answer_to_compiler(word, a);
    if (!answer && e && (!promela || !strcmp(word, "-k"))) answer = answer_by_engine(word, e, a);
    if (!answer && (promela || word[2])) answer = answer_to_spin(word, promela, a);
    return answer || !e || spins_word ? answer : answer_by_engine(word, e, a);
}

const char *answer_to_habit(const char *word, const struct engine *e, struct arena *a)
{
    if (word[0] != '-' || !word[1]) return NULL;
    if (word[1] != '-') return answer_to_short(word, e, a);
    if (!e || has_option(e->rows, e->row_count, word + 2) ||
        has_option(common_option_rows, common_option_count, word + 2))
        return NULL;
    for (size_t i = 0; i < engine_count; i++)
        if (has_option(engines[i]->rows, engines[i]->row_count, word + 2))
            return arena_printf(a, "%.*s is one of the %s", (int)strcspn(word, "="), word, engines[i]->title);
    return NULL;
}
