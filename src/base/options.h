/* Command-line options as tables: one row per option feeds the struct, the parser, the help text and the man page.
 *
 * A row names the member it fills by its offset in the struct of the engine or command that owns the table. */
#ifndef HEDDLE_OPTIONS_H
#define HEDDLE_OPTIONS_H

#include "base/base.h"

enum option_kind {
    OPTION_FLAG,    /* bool: true */
    OPTION_UNFLAG,  /* bool: false */
    OPTION_INT,     /* int64_t in [min, max] */
    OPTION_SECONDS, /* double in (0, OPTION_MOST_SECONDS] */
    OPTION_SIZE,    /* size_t, with k M G suffixes */
    OPTION_STRING,  /* const char * */
    OPTION_LIST,    /* struct option_list: may be given more than once */
    OPTION_CHOICE,  /* int: index into choices */
    OPTION_MAYBE_STRING, /* const char *: --name is "", --name=TEXT the text */
    OPTION_MAYBE_SIZE,  /* struct option_maybe_size: --name or --name=SIZE */
    OPTION_MAYBE_CHOICE, /* int: --name is choice 0, --name=WORD another */
};

enum { OPTION_MOST_SECONDS = 1000000000 }; /* thirty years, and no clock overflows */
struct option_list { const char **at; size_t len, cap; };
struct option_maybe_size { bool given; size_t size; };

struct option {
    const char *name; /* without dashes */
    char letter;      /* 0: none; a list with a letter also takes -Dvalue */
    enum option_kind kind;
    size_t offset;
    const char *arg;  /* how the help calls the value */
    const char *help;
    int64_t min, max;
    const char *const *choices; /* NULL-terminated */
};

struct option_table { const char *title; const struct option *rows; size_t len; void *base; };

/* Fills the tables' structs from argv[1..]; other words go to `words`, those after "--" to `rest`.
 * Returns 0, or -1 with a message in *error (arena of the caller). */
struct option_words { const char **at; size_t len, cap; };
int options_parse(const struct option_table *tables, size_t n, int argc, char **argv, struct option_words *words,
                  struct option_words *rest, struct arena *arena, const char **error);
/* Whether it is an option whose value is the word behind it. */
bool option_wants_next(const struct option_table *tables, size_t n, const char *word);
void options_help(const struct option_table *tables, size_t n, FILE *out);

/* --verify: what is asked again after a check. */
enum verify_how { VERIFY_NOT = -1, VERIFY_RESULT, VERIFY_SWAP };

/* What every engine of `check` understands. */
struct common_options {
    int64_t bound; /* -1: none given */
    double time;   /* seconds, 0: no limit */
    size_t memory; /* bytes, 0: no limit */
    bool github, no_times; /* no_times: nothing that differs from run to run is printed */
    const char *lang;          /* of the input, NULL: by its ending or what is in it */
    const char *junit, *sarif; /* files, NULL: not wanted */
    bool json, all_errors, quiet, verbose, no_color;
    int verify;    /* enum verify_how, VERIFY_NOT: not asked for */
    int64_t seed;  /* -1: none given */
    const char *html, *svg, *mermaid, *dot; /* where pictures of it go, NULL: not wanted */
    const char *trace_path; /* where a counterexample goes; NULL: beside the working directory's input name */
};
#define COMMON_OPTIONS_DEFAULT {.bound = -1, .verify = VERIFY_NOT, .seed = -1}
extern const struct option common_option_rows[];
extern const size_t common_option_count;

#endif
