/* Command lines: one word per line, read with the options of each engine. Values must end up in their ranges. */
#include "check/check.h"
#include "fuzz.h"

static struct option_words words_of(char *text)
{
    struct option_words w = {0};
    vec_push(&w, "check");
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        vec_push(&w, line);
    }
    return w;
}

/* After everything was read without complaint: a value is as it was before, or one that its row allows. */
static void value_fits(const struct option *o, const char *member, const char *before)
{
    int choices = 0;
    while (o->choices && o->choices[choices]) choices++;
    if (o->kind == OPTION_CHOICE || o->kind == OPTION_MAYBE_CHOICE) {
        int chosen = *(const int *)member;
        bool offered = chosen >= 0 && chosen < choices;
        must_hold(chosen == *(const int *)before || offered, "a choice is one of those offered", o->name);
    } else if (o->kind == OPTION_SECONDS) {
        double v = *(const double *)member;
        bool fits = v > 0 && v <= OPTION_MOST_SECONDS;
        must_hold(v == *(const double *)before || fits, "seconds are in their range", o->name);
    } else if (o->kind == OPTION_INT) {
        int64_t v = *(const int64_t *)member;
        must_hold(v == *(const int64_t *)before || (v >= o->min && v <= o->max), "a number is in its range", o->name);
    }
}

static void release_lists(const struct option_table *t)
{
    for (size_t i = 0; i < t->len; i++)
        if (t->rows[i].kind == OPTION_LIST) vec_release((struct option_list *)((char *)t->base + t->rows[i].offset));
}

static void read_for(const struct engine *e, const struct option_words *given)
{
    struct common_options common = COMMON_OPTIONS_DEFAULT, common_before = common;
    char *options = xcalloc(1, e->options_size), *before = xcalloc(1, e->options_size);
    struct option_words words = {0}, rest = {0};
    struct arena arena = {0};
    const char *error = NULL;
    if (e->options_init) e->options_init(options);
    memcpy(before, options, e->options_size);
    struct option_table tables[] = {{"", common_option_rows, common_option_count, &common},
                                    {"", e->rows, e->row_count, options}};
    int failed = options_parse(tables, 2, (int)given->len, (char **)given->at, &words, &rest, &arena, &error);
    must_hold(!failed == !error, "there is a message if and only if something is wrong", error);
    must_hold(words.len + rest.len <= given->len, "no word is made up", NULL);
    for (size_t i = 0; !failed && i < common_option_count; i++)
        value_fits(&common_option_rows[i], (char *)&common + common_option_rows[i].offset,
                   (char *)&common_before + common_option_rows[i].offset);
    for (size_t i = 0; !failed && i < e->row_count; i++)
        value_fits(&e->rows[i], options + e->rows[i].offset, before + e->rows[i].offset);
    release_lists(&tables[1]);
    vec_release(&words);
    vec_release(&rest);
    arena_release(&arena);
    free(options);
    free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    struct option_words given = words_of(text);
    for (size_t i = 0; i < engine_count; i++) read_for(engines[i], &given);
    vec_release(&given);
    free(text);
    return 0;
}
