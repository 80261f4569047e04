/* The functions of the C library that the program may call, one row each: what they read and write, and which state
 * outside of the program's memory they use. libc.c makes a function of each row that takes the library's place.
 *
 *     F(result, name, parameters, arguments, state, before, after)
 *     P(name, parameters, arguments, state, before, after)            a function without a result
 *
 * The parameters are as wide as the C library's, which is all that a call needs, so that no header has to be included.
 * `before` lists the accesses that the arguments tell, and `after` those that only the result (r) tells. The words are:
 *
 *     R(p, n) W(p, n)         reads, writes n bytes; R_IF(p, n) W_IF(p, n): unless p is NULL
 *     S(s)                    reads a string with its end; S_IF(s): unless it is NULL; N(s, n): at most n bytes of it
 *     WS(s)                   wrote a string (after)
 *     SIZE(s) PART(s, n)      bytes of a string with its end, at most n; UPTO(p, c, n): up to the character c
 *     WIDE(s) WIDE_PART(s, n) the same of wide characters
 *
 * `state` holds for calls by libraries, too:
 *
 *     READS(f) PRINTS(f)      takes from the stream f, adds to it; LOOKS(f), CHANGES(f): any other use
 *     UNLOCKED(f)             the same without the stream's lock; LOOKS_UNLOCKED(f): only reads it
 *     USES(x)                 state x that the library locks: the order of two calls matters (rand)
 *     OWNS(x) ASKS(x)         state x that it does not lock: writing and reading it races (setenv, getenv)
 *     FILLS(p, n)             the kernel writes there, to pages that may be protected
 *     LOOKS_UP                a path, with FOUND(c) (after): whether there was one
 *
 * BUFFER(f, p, n) (after): the stream f keeps its bytes there from now on. GROWS(f, p, n): it keeps them in memory of
 * its own, whose address and size it writes there. */
#ifndef HEDDLE_RUNTIME_CALLS_INT_H
#define HEDDLE_RUNTIME_CALLS_INT_H

#include "runtime/calls_libc_int.h"
#include "runtime/calls_stream_int.h"

/* Each has a function in format.c: the one with a list of arguments, which also serves the one without. */
#define FORMAT_CALLS(X) \
    X(vprintf) X(vfprintf) X(vsprintf) X(vsnprintf) X(vasprintf) X(vdprintf) X(vsyslog) X(vwarn) X(vwarnx) \
    X(__vprintf_chk) X(__vfprintf_chk) X(__vsprintf_chk) X(__vsnprintf_chk) X(__vasprintf_chk) X(__vdprintf_chk) \
    X(__vsyslog_chk) X(vscanf) X(vfscanf) X(vsscanf) X(__isoc99_vscanf) X(__isoc99_vfscanf) X(__isoc99_vsscanf) \
    X(__isoc23_vscanf) X(__isoc23_vfscanf) X(__isoc23_vsscanf)

enum rt_call {
#define NAME_F(result, name, ...) CALL_##name,
#define NAME_P(name, ...) CALL_##name,
#define NAME_X(name) CALL_##name,
    LIBC_CALLS(NAME_F, NAME_P) STREAM_CALLS(NAME_F, NAME_P) FORMAT_CALLS(NAME_X)
#undef NAME_F
#undef NAME_P
#undef NAME_X
    CALL_COUNT
};

#endif
