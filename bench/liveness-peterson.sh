#!/bin/sh
# Starvation freedom of Peterson's algorithm for N processes (default 4), as in Siegel, CAV 2019, Fig. 6:
# Spin and Heddle, without reduction, with reduction and the plain automaton B3, with reduction and its normal form B4.
# usage: bench/liveness-peterson.sh [N]
set -eu
n=${1:-4}
heddle=${HEDDLE:-$(dirname "$0")/../build/heddle}
heddle=$(realpath "$heddle")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

others= mine=
i=0
while [ $i -lt "$n" ]; do
    others="$others${others:+ && }(_pid == $i || level[$i] < k)"
    [ $i = 0 ] || mine="$mine${mine:+ && }level[$i] < level[0]"
    i=$((i + 1))
done
# enabled0: process 0 is not waiting, or what it waits for is true
cat >model <<END
#define N $n
#define enabled0 (!user[0]@waiting || ($mine) || last[level[0]] != 0)
byte level[N], last[N];
active [N] proctype user()
{   byte k;
    do
    :: k = 1;
       do
       :: k < N -> level[_pid] = k; last[k] = _pid;
waiting:  (($others) || last[k] != _pid); k++
       :: else -> break
       od;
       level[_pid] = 0
    od
}
END
{ cat model; "$heddle" ltl '<>[]!enabled0'; } >b3.pml
{ cat model; "$heddle" ltl '<>[]!enabled0' --si; } >b4.pml

row() { printf '%-34s %14s %14s %9s  %s\n' "$@"; }
spin_row() { # name model cflags
    spin -a "$2" >/dev/null
    gcc -O2 -DMEMLIM=8000 $3 -o pan pan.c
    ./pan -a -m10000000 -w26 >out
    row "$1" "$(awk '/states, stored/ {print $1}' out)" "$(awk '/transitions \(/ {print $1}' out)" \
        "$(sed -n 's/pan: elapsed time \([0-9.]*\).*/\1/p' out)" "$(grep -o 'errors: [0-9]*' out)"
}
heddle_row() { # name model options
    "$heddle" check "$2" --claim never_0 --json $3 >out 2>/dev/null || true
    python3 - "$1" <<'END'
import json, sys
d = json.load(open("out"))
print("%-34s %14d %14d %9.2f  %s" % (sys.argv[1], d["states"], d["transitions"], d["seconds"], d["verdict"]))
END
}
row "Peterson, $n processes" states transitions seconds result
spin_row "spin B3, full" b3.pml -DNOREDUCE
spin_row "spin B3, its reduction (unsound)" b3.pml ""
spin_row "spin B4, its reduction" b4.pml ""
heddle_row "heddle B3, full" b3.pml --no-por
heddle_row "heddle B3, V1 (unsound)" b3.pml --por=v1
heddle_row "heddle B3 -> normal form" b3.pml ""
heddle_row "heddle B3, full, --exact" b3.pml "--no-por --exact"
heddle_row "heddle normal form, --exact" b3.pml --exact
