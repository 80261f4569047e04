/* A counterexample for people and for other programs' eyes: text, a page, pictures.
 *
 * Between the trace and every printer are rows (show_int.h): what stands in which lane, how it is called, what is
 * folded. Nothing of a trace is trusted: each printer escapes what it prints for its own format. */
#ifndef HEDDLE_SHOW_H
#define HEDDLE_SHOW_H

#include "trace/trace.h"

/* With most_steps the middle of a longer trace is left out, and `show_all` (may be NULL) is printed as the command that
 * shows it. */
struct trace_style {
    int width;
    bool color;
    size_t most_steps; /* 0: all */
    const char *show_all;
};
void trace_print(const struct trace *t, FILE *out, struct trace_style style);

/* Formats of pictures: one row each in picture.c. */
enum picture { PICTURE_HTML, PICTURE_SVG, PICTURE_MERMAID, PICTURE_DOT, PICTURES };
struct picture_style {
    size_t most_steps;      /* 0: all */
    const char *directory;  /* where source files are looked for besides the working directory; may be NULL */
    const char *trace_path; /* for the command that replays it; may be NULL */
};
/* 0, or -1 and a message in *wrong (heap) if the trace is too long for such a picture. */
int picture_print(enum picture p, const struct trace *t, FILE *out, struct picture_style style, char **wrong);
int picture_write(enum picture p, const struct trace *t, const char *path, struct picture_style style, char **wrong);
const char *picture_name(enum picture p);

/* On standard output with the lines below it that say what to do next. */
struct report {
    const char *trace_path, *why;
    bool color, quiet;
    size_t most_steps;
};
void report_trace(const struct trace *t, struct report r);
void report_replay(const struct trace *t, const char *trace_path); /* the command alone */
int terminal_width(void);
bool wants_color(bool no_color);

#endif
