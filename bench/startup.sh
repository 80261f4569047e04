#!/bin/sh
# From source to verdict on small models: heddle check beside spin -a && gcc -O2 && ./pan, in the same run.
set -eu
HEDDLE=${HEDDLE:-build/heddle}
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
now() { date +%s%N; }
printf '%-22s %10s %12s %8s\n' model 'heddle ms' 'spin+gcc ms' ratio
for model in "$here"/examples/peterson.pml "$here"/examples/philosophers.pml "$here"/examples/publish.pml; do
    cp "$model" "$work/m.pml"
    best=999999999999
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        t=$(now)
        (cd "$work" && "$HEDDLE" check -q m.pml >/dev/null 2>&1) || true
        t=$(($(now) - t))
        [ "$t" -lt "$best" ] && best=$t
    done
    peer=999999999999
    for _ in 1 2 3; do
        t=$(now)
        (cd "$work" && spin -a m.pml >/dev/null && gcc -O2 -w -o pan pan.c && ./pan >/dev/null) || true
        t=$(($(now) - t))
        [ "$t" -lt "$peer" ] && peer=$t
    done
    awk -v m="$(basename "$model")" -v a="$best" -v b="$peer" 'BEGIN { printf "%-22s %10.1f %12.1f %7.0fx\n", m, a / 1e6, b / 1e6, b / a }'
done
