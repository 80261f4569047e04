#!/bin/sh
# Manual pages from what `heddle help` prints, so that they cannot say anything else:
#   sh man/make.sh HEDDLE DIRECTORY    writes heddle.1 and a page for each command
set -eu
heddle=$1
directory=$2
mkdir -p "$directory"
version=$("$heddle" --version | sed -n 's/^heddle //p')
escape() { sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'; }
title() { printf '.TH %s 1 "" "heddle %s" "Heddle"\n' "$(echo "$1" | tr '[:lower:]' '[:upper:]')" "$version"; }

# The options of a command: "  -b, --bound N    help", the help in the next line if the left side is long; titles end with a colon.
options() {
    "$heddle" help "$1" | awk '
        function esc(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); return s ~ /^[.\047]/ ? "\\\\&" s : s }
        function heading(s) { if (s !~ /\|/) return ".B " s # a line may end after a choice
            gsub(/\|/, "|\\:", s); return ".na\n.B " s "\n.ad" }
        /^usage:/ || /^       heddle/ { next }
        /^[^ ].*:$/ { sub(/:$/, ""); print ".SS " esc($0); next }
        /^  -/ { sub(/^  /, ""); left = $0; help = ""
            if (match(left, /  +/)) { help = substr(left, RSTART + RLENGTH); left = substr(left, 1, RSTART - 1) }
            print ".TP"; print heading(esc(left)); if (help != "") print esc(help); next }
        /^ +[^ ]/ { sub(/^ +/, ""); print esc($0) }'
}

synopsis() {
    printf '.SH SYNOPSIS\n.nf\n'
    "$heddle" help "$1" | sed -n 's/^usage: \(heddle .*\)/\1/p; s/^       \(heddle .*\)/\1/p' | escape
    printf '.fi\n'
}

# What a command does, and examples: a command and what it is for.
describe() {
    case $1 in
    check) echo "Looks for errors in all schedules of a model or program, in order of preemptions, prints the simplest schedule that fails, and says exactly what was covered when none does." ;;
    test) echo "Finds and checks many models, programs and test cases, and prints one summary." ;;
    replay) echo "Runs a counterexample again, step by step. Exit status 1 means that it failed again. A trace is data and may come from a stranger: what it asks for beyond source files and harmless flags of the compiler (other flags, another compiler, an executable, embedded C, source text of its own) is refused with exit status 2, unless --trust is given." ;;
    show) echo "Prints a counterexample as text, as a page for a browser, or as a picture. It runs nothing, unless --simplify is given: then the trace is replayed." ;;
    sim) echo "Runs one execution of a Promela model, at random or by hand." ;;
    swarm) echo "Runs many small searches of a model, each with its own order of steps, hashes, and longest path or most preemptions, and tells from their overlap how much of the model they saw. It finds errors and proves nothing: the verdict is ERROR or UNKNOWN." ;;
    ltl) echo "Prints the automaton of a formula." ;;
    cc) echo "Stand for the compilers of C and C++, take their options, and build programs that heddle check and heddle test can take. A program that was built so runs by itself as if built without them." ;;
    seq) echo "Prints the sequential program that a context\\-bounded analysis of a Boolean program makes." ;;
    esac
}
examples() {
    case $1 in
    check) echo "heddle check queue.c|all schedules of a C program
heddle check model.pml -b 2|a model, with at most two preemptions
heddle check ./test -- --fast|an executable built with heddle cc, with an argument
heddle check queue.c --html queue.html|the counterexample as a page
heddle check model.pml --plan|what it would take, and on how many processes
mpirun -n 16 heddle check model.pml|one check by 16 processes" ;;
    test) echo "heddle test tests/ --junit heddle.xml|everything in a directory
heddle test build/|the tests of CTest in a build directory" ;;
    replay) echo "heddle replay queue.trace|the same failure again
heddle replay queue.trace --gdb|and stop there in gdb
heddle replay --trust queue.trace|the same, with everything that the trace names: look at it before
heddle replay model.pml.trail|a trail of Spin" ;;
    show) echo "heddle show queue.trace|in columns
heddle show queue.trace --html -o queue.html|as a page for a browser" ;;
    sim) echo "heddle sim model.pml --seed 7|at random, and the same again next time
heddle sim model.pml --interactive|by hand" ;;
    swarm) echo "heddle swarm large.pml --time 300|five minutes on all processors
heddle swarm large.pml --searches 100 --seed 7|the same searches again next time" ;;
    ltl) echo "heddle ltl '[] (p -> <> q)' --dot|as a graph" ;;
    cc) echo "make CC=\"heddle cc\" CXX=\"heddle c++\"|a whole project
heddle cc -g -pthread -o queue_test queue_test.c|one program
HEDDLE_CC=clang heddle cc -o queue_test queue_test.c|with another compiler" ;;
    seq) echo "heddle seq driver.bp -k 2|for two contexts per thread" ;;
    esac
}
print_examples() {
    printf '.SH EXAMPLES\n'
    examples "$1" | while IFS='|' read -r command meaning; do
        printf '.TP\n.B %s\n%s\n' "$(echo "$command" | escape)" "$meaning"
    done
}
status() {
    cat <<'END'
.SH EXIT STATUS
.TP
.B 0
verified or bounded
.TP
.B 1
an error was found (or reproduced, by replay)
.TP
.B 2
bad input or usage, or output that cannot be written
.TP
.B 3
unknown: a limit was reached, or the storage was lossy
END
}

commands="check test replay show sim cc ltl seq"
for command in $commands; do
    summary=$("$heddle" help | sed -n "s/^  heddle $command .*[^ ]   *\([^ ].*\)$/\1/p")
    {
        title "heddle-$command"
        printf '.SH NAME\nheddle\\-%s \\- %s\n' "$command" "$(echo "$summary" | escape)"
        synopsis "$command"
        printf '.SH DESCRIPTION\n%s\n' "$(describe "$command")"
        if [ "$command" != cc ]; then
            printf '.SH OPTIONS\n'
            options "$command"
        fi
        print_examples "$command"
        [ "$command" = cc ] || status
        printf '.SH SEE ALSO\n.BR heddle (1)\n'
    } >"$directory/heddle-$command.1"
done
{
    title heddle
    cat <<'TEXT'
.SH NAME
heddle \- explore the schedules of a concurrent program in order of preemptions
.SH SYNOPSIS
.nf
TEXT
    "$heddle" help | sed -n 's/^  \(heddle .*[^ ]\)   *[^ ].*$/\1/p' | escape
    cat <<'TEXT'
.fi
.SH DESCRIPTION
Heddle checks Promela models, C and C++ programs with threads (source files, or programs built with \fBheddle cc\fR) and concurrent
Boolean programs.
It explores schedules in order of preemptions (switches away from a thread that could have gone on), prints the
simplest schedule that fails, and says exactly what was covered when none does.
.PP
The last line of \fBheddle check\fR on standard output is the verdict: VERIFIED (no error in any schedule), BOUNDED (no error with at
most N preemptions), ERROR, or UNKNOWN with what was covered and what cut it short.
A counterexample is written to a trace file in the working directory (\fB\-o\fR names another).
TEXT
    printf '.SH EXAMPLES\n'
    for command in check test replay show; do
        examples $command | head -n 1 | while IFS='|' read -r line meaning; do
            printf '.TP\n.B %s\n%s\n' "$(echo "$line" | escape)" "$meaning"
        done
    done
    status
    cat <<'TEXT'
.SH ENVIRONMENT
.TP
.B CC, CXX
compilers for programs, models and preprocessing
.TP
.B HEDDLE_CC, HEDDLE_CXX
what \fBheddle cc\fR and \fBheddle c++\fR stand for
.TP
.B TMPDIR
where temporary files go
.TP
.B NO_COLOR
no colours, even on a terminal
.SH SEE ALSO
TEXT
    for command in $commands; do printf '.BR heddle\\-%s (1),\n' $command; done
    printf '.BR spin (1)\n'
} >"$directory/heddle.1"
