/* Diagnostics about input text: file:line:column, the source line, a caret, and a hint.
 *
 * A parser collects as many as it can find in one `struct diags`; the command prints them all and exits with 2.
 * A position is small and copyable; it names a file registered in the same `struct diags`. */
#ifndef HEDDLE_DIAG_H
#define HEDDLE_DIAG_H

#include "base/base.h"

struct pos {
    int file; /* from diags_file(); 0: no position */
    int line, col; /* from 1; col 0: the line as a whole */
};

enum severity { SEVERITY_ERROR, SEVERITY_WARNING };

struct diags {
    struct arena arena;
    VEC(struct diag_file) files;
    VEC(struct diag) list;
    int errors, warnings;
    bool full; /* too many errors: the rest is not collected */
    bool dropped; /* the diagnostic just made was not collected, and neither is its hint */
};
struct diag_file { const char *name; char *text; bool tried; };
struct diag { struct pos pos; enum severity severity; const char *text, *hint; };

int diags_file(struct diags *d, const char *name); /* the id of the file, registering it if new */
void diags_file_text(struct diags *d, int file, const char *text); /* for text that is not on disk under that name */
const char *diags_file_name(const struct diags *d, int file);
void diag_error(struct diags *d, struct pos at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_warning(struct diags *d, struct pos at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_hint(struct diags *d, const char *fmt, ...) PRINTF_LIKE(2, 3); /* attaches to the diagnostic just made */
void diags_print(struct diags *d, FILE *out);
void diags_release(struct diags *d);
/* Line `line` of a registered file without its newline (arena of d), or NULL. */
const char *diags_source_line(struct diags *d, int file, int line);

#endif
