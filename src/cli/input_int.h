/* Inputs of a check, before an engine sees them. */
#ifndef HEDDLE_CLI_INPUT_INT_H
#define HEDDLE_CLI_INPUT_INT_H

#include "base/tempdir.h"
#include "cli/cli.h"

const struct engine *engine_of_language(const char *language); /* dies if there is no such language */
const char *word_of_language(const char *word, const char *next); /* the value of --lang, if that is what it is */
const char *language_of_ending(const char *path); /* as --lang takes it; NULL: none */
/* Why no engine takes it, and what to do (heap). */
char *input_complaint(const char *path);
/* The file that an engine can read (heap): the input itself, or a copy with an ending that says what it is. "-" is
 * standard input. language: as given, may be NULL. */
char *input_as_file(const char *path, const char *language, struct tempdir *d);

/* trust.c. Whether a file is what such an engine takes, wherever links lead. */
bool input_is_plain(const char *path, const struct engine *e);
/* Ends the program if a trace asks for what could do harm, and the user has not said that it may. */
struct trust_request {
    bool trusted;
    const char *directory;      /* where the trace lies */
    const char *path, *command; /* of the trace, and what reads it; NULL: the user has typed the schedule */
};
void trust_or_refuse(const struct trace *t, struct trust_request q);

/* What a habit from elsewhere is called here, NULL if it is none: other tools' options, options of other engines. */
const char *answer_to_habit(const char *word, const struct engine *e, struct arena *a);

/* Says on standard error what a macro of Spin's verifiers is called here, unless the model has that name in it. */
void warn_about_macro(const char *word, const char *model);
bool mentions_word(const char *path, const char *word); /* near its beginning */

#endif
