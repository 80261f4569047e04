#!/bin/sh
# Starvation freedom of Peterson's algorithm for N processes (default 5), as in Siegel, CAV 2019, Fig. 6:
# Spin and Heddle, without reduction, with reduction and the plain automaton B3, with reduction and its normal form B4.
# Seconds are those of the search, the least of three runs. The last line compares both tools as they come; what Spin needs
# before the search (spin -a, gcc -O2) is not in it.
# usage: bench/liveness-peterson.sh [N]
set -eu
n=${1:-5}
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

row() { printf '%-34s %14s %14s %9s %7s  %s\n' "$@"; }
least() { # runs a command three times; keeps in `out` what the fastest one printed
    for i in 1 2 3; do
        "$@" >out.$i 2>/dev/null || true
        t=$(sed -n 's/pan: elapsed time \([0-9.]*\).*/\1/p; s/^  "seconds": \([0-9.]*\),/\1/p' out.$i)
        [ $i -gt 1 ] && [ "$(echo "$t >= $least" | bc)" = 1 ] || { least=$t; cp out.$i out; }
    done
}
spin_row() { # name model cflags
    spin -a "$2" >/dev/null
    gcc -O2 -DMEMLIM=8000 $3 -o pan pan.c
    least ./pan -a -m2000000
    megabytes=$(awk '/total actual memory usage/ {print int($1)}' out)
    row "$1" "$(awk '/states, stored/ {print $1}' out)" "$(awk '/transitions \(/ {print $1}' out)" "$least" "$megabytes" \
        "$(grep -o 'errors: [0-9]*' out)"
}
value() { sed -n "s/^  \"$1\": \"*\([^\",]*\).*/\1/p" out; }
heddle_row() { # name model options
    least "$heddle" check "$2" --claim never_0 --json $3
    megabytes=$(($(value memory_bytes) >> 20))
    row "$1" "$(value states)" "$(value transitions)" "$(printf %.2f "$least")" "$megabytes" "$(value verdict)"
}
row "Peterson, $n processes" states transitions seconds MB result
spin_row "spin B3, full" b3.pml -DNOREDUCE
spin_row "spin B4, its reduction" b4.pml ""
spin_row "spin B3, its reduction (unsound)" b3.pml ""
pan=$least pan_megabytes=$megabytes
heddle_row "heddle B3" b3.pml ""
echo "heddle is $(echo "scale=1; $pan / $least" | bc) times as fast and takes 1/$((pan_megabytes / (megabytes > 0 ? megabytes : 1))) of the memory" >ratio
heddle_row "heddle B4" b4.pml ""
heddle_row "heddle B3, full" b3.pml --no-por
heddle_row "heddle B3, V1 (unsound)" b3.pml --por=v1
heddle_row "heddle B3, full, --exact" b3.pml "--no-por --exact"
heddle_row "heddle B3, --exact" b3.pml --exact
cat ratio
