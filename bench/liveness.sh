#!/bin/sh
# Time and memory of Heddle against pan on models with ltl properties, both on one core, in one run.
# usage: EXAMPLES=directory of Spin's example models bench/liveness.sh [MODEL.pml:PROPERTY ...]
# Per property: pan without reduction, pan with its reduction (unsound), heddle without and with reduction. Times are
# those of the search alone; "total" includes translation and compilation (spin, gcc -O2; heddle all of it).
set -u
heddle=$(realpath "${HEDDLE:-$(dirname "$0")/../build/heddle}")
examples=${EXAMPLES:-/usr/share/doc/spin/examples/Examples}
[ $# -gt 0 ] || set -- LTL/leader.pml:p1 LTL/leader.pml:p3 LTL/diskhead.pml:p LTL/train.pml:c1 LTL/train.pml:c5 LTL/pftp.pml:p1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
now() { date +%s.%N; }
row() { printf '%-20s %-14s %12s %9s %9s %9s %s\n' "$@"; }
pan_row() { # name cflags property
    start=$(now)
    spin -a m.pml >/dev/null 2>&1 && gcc -O2 $2 -DMEMLIM=8000 -o pan pan.c 2>/dev/null || return
    ./pan -a -m1000000 -N "$3" >out 2>&1
    row "$1" "$4" "$(awk '/states, stored/ {print $1}' out)" "$(sed -n 's/pan: elapsed time \([0-9.]*\).*/\1/p' out)" \
        "$(echo "$(now) - $start" | bc | cut -c1-6)" "$(awk '/total actual memory usage/ {print $1}' out)" "$(grep -o 'errors: [0-9]*' out)"
}
heddle_row() {
    start=$(now)
    "$heddle" check m.pml --ltl "$3" $2 --json >out 2>/dev/null
    set -- "$1" "$4" $(python3 -c 'import json; d = json.load(open("out")); print(d["states"], round(d["seconds"], 2), round(d["memory_bytes"] / 2**20, 1), d["verdict"])')
    row "$1" "$2" "$3" "$4" "$(echo "$(now) - $start" | bc | cut -c1-6)" "$5" "$6"
}
row property search states seconds total MB result
for case in "$@"; do
    model=${case%:*} property=${case##*:}
    [ -f "$examples/$model" ] || { echo "no such model: $examples/$model" >&2; continue; }
    cp "$examples/$model" "$dir/m.pml"
    cd "$dir" || exit 1
    name=$(basename "$model" .pml):$property
    pan_row "$name" -DNOREDUCE "$property" "pan full"
    pan_row "$name" "" "$property" "pan reduced"
    heddle_row "$name" --no-por "$property" "heddle full"
    heddle_row "$name" "" "$property" "heddle reduced"
    cd - >/dev/null || exit 1
done
