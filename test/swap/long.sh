#!/bin/sh
# make swap: the swap check on N made-up programs from SEED on, in JOBS processes, on N / 200 generated ones in C, on the programs
# and models of other tests, and on N / 10 random models. One of N is
# a made-up program with a random search of 200 executions. The same SEED gives the same programs: an interrupted run goes on with a
# larger one. Fails if anything differs.
set -u
cd "$(dirname "$0")/../.."
dir=$BUILD/test-swap
mkdir -p "$dir"
${CC:-cc} -std=gnu11 -O2 -g -Isrc -Itest/schedule -o "$dir/machine" src/schedule/*.c test/swap/machine.c \
    test/schedule/machine.c test/schedule/program.c test/schedule/generate.c || exit 1
bad=0
share=$(((N + JOBS - 1) / JOBS))
for job in $(seq 0 $((JOBS - 1))); do
    "$dir/machine" $((SEED + job * share)) "$share" 200 >"$dir/out.$job" 2>&1 &
    pids="${pids:-} $!"
done
for pid in $pids; do wait "$pid" || bad=1; done
cat "$dir"/out.*
rm -f "$dir"/out.*
test/swap/generate "$SEED" $((N / 200 + 1)) >"$dir/generated.c"
"$HEDDLE" cc -O1 -w "$dir/generated.c" -o "$dir/generated" || exit 1
for program in $(seq 0 $((N / 200))); do
    "$HEDDLE" check "$dir/generated" --races=explore --verify=swap --executions=300 -b1 --time 20 -j1 -o "$dir/x.trace" -- "$program" \
        >"$dir/out" 2>&1
    grep DISAGREES "$dir/out" && echo "in program $program of test/swap/generate $SEED" && bad=1
done
test/swap/programs || bad=1
test/swap/models $((N / 10)) "$SEED" || bad=1
exit $bad
