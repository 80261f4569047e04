#!/bin/sh
# The measurements of the papers on CB-POR (Table 1) and BPOR (Table 1, Figures 6 and 7), repeated with real C programs.
# The plots are written to $BUILD/bench/native-*.svg. Every search stops after SECONDS_PER_CELL (10), so that the whole takes minutes.
set -eu
cd "$(dirname "$0")/.."
HEDDLE=${HEDDLE:-$PWD/build/heddle}
SECONDS_PER_CELL=${SECONDS_PER_CELL:-10}
out=$PWD/${BUILD:-build}/bench
mkdir -p "$out"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HEDDLE SECONDS_PER_CELL dir out
python3 bench/native/tables.py
