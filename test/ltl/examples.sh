#!/bin/sh
# Verdicts of Heddle, with and without reduction and with fairness, against pan -DNOREDUCE on every model with ltl or never
# in a directory of Spin's examples. usage: HEDDLE=build/heddle test/ltl/examples.sh DIRECTORY
# Some models get fewer processes, so that pan finishes soon; WHOLE=1 takes them as they are. Prints ok and FAIL, and skip
# where pan did not finish within SPIN_SECONDS (default 600, which only what hangs reaches).
limit=${SPIN_SECONDS:-600}
heddle=$(realpath "$HEDDLE")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
smaller() { # the model NAME with fewer processes or frames
    case $1${WHOLE:+ as it is} in
    leader | leader_pre | petersonN) sed 's/^\(#define[[:space:]]*N[[:space:]]*\)[0-9]*/\13/' ;;
    ex_6) sed 's/^\(#define[[:space:]]*MaxSeq[[:space:]]*\)[0-9]*/\11/' ;;
    *) cat ;;
    esac
}
judge() { # judge "PAN OPTIONS": the number of errors, nothing if there is no answer
    errors=$(timeout "$limit" ./pan -a -m500000 $1 2>&1 | sed -n 's/.*errors: \([0-9]*\).*/\1/p' | tail -n 1)
}
compare() { # compare NAME "HEDDLE OPTIONS": with what pan said
    timeout "$limit" "$heddle" check m.pml $2 -q -o trace >out 2>err
    status=$?
    if [ -z "$errors" ] || [ $status = 124 ]; then echo "skip ltl/examples-$1: pan: ${errors:-no answer}, heddle: exit $status"
    elif [ $status = $((errors > 0)) ]; then echo "ok ltl/examples-$1"
    else echo "FAIL ltl/examples-$1: pan found $errors errors, heddle: exit $status $(tail -n 1 out) $(head -n 1 err)"; fi
}
grep -lrE '^[[:space:]]*(ltl|never)\>' --include='*.pml' "$1" | sort | while read -r model; do
    name=$(basename "$model" .pml)
    smaller "$name" <"$model" >"$work/m.pml"
    cd "$work" || exit 1
    spin -a m.pml >/dev/null 2>&1 && gcc ${WHOLE:+-O2} -w -DNOREDUCE -DNFAIR=5 -DMEMLIM=3000 -o pan pan.c 2>/dev/null ||
        { echo "skip ltl/examples-$name: Spin makes no verifier"; continue; }
    properties=$(sed -n 's/^[[:space:]]*ltl[[:space:]]*\([A-Za-z_0-9]*\)[[:space:]]*[{$].*/\1/p' m.pml)
    grep -qE '^[[:space:]]*ltl[[:space:]]*\{' m.pml && properties=ltl_0
    for p in ${properties:-never_0}; do
        choose="--ltl $p" number="-N $p"
        [ "$p" = never_0 ] && choose="--claim never_0" number=
        judge "$number"
        compare "$name-$p" "$choose"
        compare "$name-$p-full" "$choose --no-por"
        judge "-f $number"
        compare "$name-$p-fair" "$choose --fair"
    done
done
