#!/bin/sh
# Verdicts of Heddle, with and without reduction and fairness, against pan -DNOREDUCE on every model with ltl or never in
# a directory of Spin's examples. usage: HEDDLE=build/heddle test/ltl/examples.sh DIRECTORY
# Prints ok, FAIL, and "-" where pan did not finish within SPIN_SECONDS (default 30).
limit=${SPIN_SECONDS:-30}
heddle=$(realpath "$HEDDLE")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
compare() { # compare NAME "PAN OPTIONS" "HEDDLE OPTIONS"
    errors=$(timeout "$limit" ./pan -a -m500000 $2 2>&1 | sed -n 's/.*errors: \([0-9]*\).*/\1/p' | tail -n 1)
    timeout "$limit" "$heddle" check m.pml $3 -q -o trace >out 2>err
    status=$?
    if [ -z "$errors" ] || [ $status = 124 ]; then echo "- ltl/$1: pan: ${errors:-no answer}, heddle: exit $status"
    elif [ $status = $((errors > 0)) ]; then echo "ok ltl/$1"
    else echo "FAIL ltl/$1: pan found $errors errors, heddle: exit $status $(tail -n 1 out) $(head -n 1 err)"; fi
}
grep -lrE '^[[:space:]]*(ltl|never)\>' --include='*.pml' "$1" | sort | while read -r model; do
    cp "$model" "$tmp/m.pml"
    cd "$tmp" || exit 1
    name=$(basename "$model" .pml)
    spin -a m.pml >/dev/null 2>&1 && gcc -O1 -DNOREDUCE -DNFAIR=5 -DMEMLIM=3000 -o pan pan.c 2>/dev/null || continue
    properties=$(sed -n 's/^[[:space:]]*ltl[[:space:]]*\([A-Za-z_0-9]*\)[[:space:]]*{.*/\1/p' m.pml)
    grep -qE '^[[:space:]]*ltl[[:space:]]*\{' m.pml && properties=ltl_0
    for p in ${properties:-never_0}; do
        choose="--ltl $p" number="-N $p"
        [ "$p" = never_0 ] && choose="--claim never_0" number=
        compare "$name-$p" "$number" "$choose"
        compare "$name-$p-full" "$number" "$choose --no-por"
        compare "$name-$p-fair" "-f $number" "$choose --fair"
    done
done
