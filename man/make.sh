#!/bin/sh
# The manual page from what `heddle help` prints, so that it cannot say anything else: sh man/make.sh HEDDLE >heddle.1
set -eu
heddle=$1
escape() { sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'; }
cat <<'HEAD'
.TH HEDDLE 1
.SH NAME
heddle \- explore the schedules of a concurrent program in order of preemptions
.SH SYNOPSIS
.nf
HEAD
"$heddle" help | sed -n 's/^  \(heddle .*[^ ]\)   *[^ ].*$/\1/p' | escape
cat <<'TEXT'
.fi
.SH DESCRIPTION
Heddle checks Promela models (.pml .prom .promela .pm), C and C++ programs with threads (.c .cc .cpp, or programs built
with \fBheddle cc\fR) and concurrent Boolean programs (.bp .pds).
It explores schedules in order of preemptions (switches away from a thread that could have gone on), prints the
simplest schedule that fails, and says exactly what was covered when none does.
.PP
The last line on standard output is the verdict: VERIFIED (no error in any schedule), BOUNDED (no error with at most N
preemptions), ERROR, or UNKNOWN with what was covered and what cut it short.
A counterexample is written to a trace file in the working directory (\fB\-o\fR names another).
TEXT
for command in check replay show sim ltl seq; do
    text=$("$heddle" help $command 2>/dev/null) || continue
    printf '.SH "HEDDLE %s"\n.nf\n' "$(echo $command | tr a-z A-Z)"
    printf '%s\n' "$text" | escape
    printf '.fi\n'
done
cat <<'TAIL'
.SH EXIT STATUS
.TP
.B 0
verified or bounded
.TP
.B 1
an error was found (or reproduced, by replay)
.TP
.B 2
bad input or usage
.TP
.B 3
unknown: a limit was reached, or the storage was lossy
.SH ENVIRONMENT
.TP
.B NO_COLOR
no colours, even on a terminal
.SH SEE ALSO
.BR spin (1)
TAIL
