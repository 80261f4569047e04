/* The axiomatic referee: reads litmus programs, one per line, and says what RC11 allows.
 *
 *   referee [--most N] [--costs]    for each line of standard input:
 *                                       graphs N           how many consistent graphs, or "graphs more" than N
 *                                       all-sc yes|no      all its atomic operations are seq_cst
 *                                       race yes|no        some graph has a data race: then nothing else matters
 *                                       stuck yes|no       threads can wait for ever, one of them in a loop
 *                                       outcome TEXT | N C for each outcome, how many graphs have it, and with --costs
 *                                                          the smallest cost of them (cost.c)
 *                                       cost C N           with --costs: N graphs have the cost C
 *                                       end
 *   referee --graphs                also prints each graph
 *   referee --c                     prints the first program of standard input as C
 *   referee --only-preemptions      costs of runs without other surprises; -1: there is none */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "litmus.h"

enum { MOST_COSTS = 64, LONGEST_OUTCOME = 400 };

struct entry {
    char text[LONGEST_OUTCOME];
    uint64_t graphs;
    int cost;
};

struct answer {
    const struct litmus *p;
    bool with_costs, with_graphs, only_preemptions, has_race, is_stuck;
    uint64_t graphs, of_cost[MOST_COSTS + 1]; /* the first is for graphs without a cost */
    struct entry *entry;
    size_t entries, room;
};

static void outcome_text(const struct litmus *p, const struct outcome *o, char text[LONGEST_OUTCOME])
{
    int n = 0;
    for (int t = 0; t < p->threads; t++)
        for (int r = 0; r < MAX_REGISTERS; r++)
            if (p->used[t] >> r & 1)
                n += sprintf(text + n, "%d:r%d=%d ", t, r, o->registers[t][r]);
    for (int i = 0; i < p->places; i++)
        if (!p->is_mutex[i])
            n += sprintf(text + n, "%s=%d ", p->place_name[i], o->final[i]);
    text[n ? n - 1 : 0] = 0;
}

static struct entry *find_entry(struct answer *a, const char *text)
{
    for (size_t i = 0; i < a->entries; i++)
        if (!strcmp(a->entry[i].text, text))
            return &a->entry[i];
    if (a->entries == a->room) {
        a->room = 2 * a->room + 16;
        a->entry = realloc(a->entry, a->room * sizeof *a->entry);
    }
    struct entry *e = &a->entry[a->entries++];
    strcpy(e->text, text);
    e->graphs = 0;
    e->cost = MOST_COSTS;
    return e;
}

static void print_event(const struct litmus *p, const struct graph *g, int i)
{
    const struct event *e = &g->event[i];
    if (e->kind == EVENT_FENCE)
        printf(" %d:F-%s", i, order_names[e->order]);
    else
        printf(" %d:%s%s-%s %s=%d", i, e->kind == EVENT_READ ? "R" : "W", e->is_exclusive ? "x" : "",
               order_names[e->order], p->place_name[e->place], e->value);
    if (e->kind == EVENT_READ)
        printf("<-%d", e->from);
}

static void print_graph(const struct litmus *p, const struct graph *g)
{
    printf("graph");
    for (int t = -1; t < p->threads; t++) {
        printf(" %s", t < 0 ? "initial" : "|");
        for (int i = 0; i < g->events; i++)
            if (g->event[i].thread == t)
                print_event(p, g, i);
    }
    for (int x = 0; x < p->places; x++) {
        printf("  mo %s", p->place_name[x]);
        for (int i = 0; i < g->writes[x]; i++)
            printf(" %d", g->mo[x][i]);
    }
    printf("\n");
}

static void count_graph(void *context, const struct graph *g, const struct outcome *o)
{
    struct answer *a = context;
    char text[LONGEST_OUTCOME];
    if (!o) {
        a->is_stuck = true;
        return;
    }
    outcome_text(a->p, o, text);
    struct entry *e = find_entry(a, text);
    a->graphs++;
    e->graphs++;
    if (a->with_graphs)
        print_graph(a->p, g);
    if (a->with_costs) {
        int cost = graph_cost(g, a->only_preemptions);
        a->of_cost[cost + 1]++;
        if (cost >= 0 && cost < e->cost)
            e->cost = cost;
    }
    for (int i = 0; i < a->p->places && !a->has_race; i++)
        if (a->p->is_plain[i])
            a->has_race = rc11_has_race(g);
}

static void print_answer(const struct answer *a, bool is_whole)
{
    if (is_whole)
        printf("graphs %" PRIu64 "\n", a->graphs);
    else
        printf("graphs more\n");
    printf("all-sc %s\nrace %s\n", litmus_is_all_sc(a->p) ? "yes" : "no", a->has_race ? "yes" : "no");
    printf("stuck %s\n", a->is_stuck ? "yes" : "no");
    for (size_t i = 0; i < a->entries; i++) {
        printf("outcome %s | %" PRIu64, a->entry[i].text, a->entry[i].graphs);
        printf(a->with_costs ? " %d\n" : "\n", a->entry[i].cost < MOST_COSTS ? a->entry[i].cost : -1);
    }
    for (int c = 0; c <= MOST_COSTS; c++)
        if (a->of_cost[c])
            printf("cost %d %" PRIu64 "\n", c - 1, a->of_cost[c]);
    printf("end\n");
    fflush(stdout);
}

static int die(const char *why, const char *text)
{
    fprintf(stderr, "referee: %s: %s\n", why, text);
    return 2;
}

static int read_program(struct litmus *p, const char *line)
{
    const char *at = line;
    const char *why = litmus_parse(p, &at);
    if (why || at[strspn(at, " \t\r\n")])
        return die(why ? why : "a program ends here", at);
    return 0;
}

static int print_as_c(char *text, size_t room)
{
    size_t n = fread(text, 1, room - 1, stdin);
    text[n] = 0;
    struct litmus p;
    if (read_program(&p, text))
        return 2;
    litmus_print_c(&p, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    struct answer options = {0};
    uint64_t most = UINT64_MAX;
    static char line[1 << 16];
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--c"))
            return print_as_c(line, sizeof line);
        if (!strcmp(argv[i], "--most") && i + 1 < argc)
            most = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--costs"))
            options.with_costs = true;
        else if (!strcmp(argv[i], "--graphs"))
            options.with_graphs = true;
        else if (!strcmp(argv[i], "--only-preemptions"))
            options.with_costs = options.only_preemptions = true;
        else
            return die("unknown option", argv[i]);
    }
    while (fgets(line, sizeof line, stdin)) {
        struct litmus p;
        if (read_program(&p, line))
            return 2;
        struct answer a = options;
        a.p = &p;
        bool is_whole = litmus_graphs(&p, most, count_graph, &a);
        print_answer(&a, is_whole);
        free(a.entry);
    }
    return 0;
}
