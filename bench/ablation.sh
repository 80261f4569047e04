#!/bin/sh
# States with each analysis left out, beside Spin's: a table (bench/ablation.py).
set -eu
cd "$(dirname "$0")/.."
out=${BUILD:-build}/bench
mkdir -p "$out"
make -s "$out/ablation"
python3 bench/ablation.py "$out/ablation" "$@"
