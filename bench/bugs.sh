#!/bin/sh
# Finds known bugs: in how many runs, after how many schedules and seconds, for every strategy and for the default.
# Writes bench/bugs/RESULTS.md and results.svg. The whole run takes about 20 minutes on two idle processors; these variables choose a part of it:
#   ROWS        patterns of row names, such as "reorder twostage" (default: all)
#   STRATEGIES  names for --explore, and "default"; options follow after commas, as in "default,-j1"
#   SEEDS       runs of the default check (20)
#   OTHER_SEEDS runs of each other strategy that draws at random (3)
#   JOBS        runs of other strategies at a time (the number of processors)
#   LIMIT       seconds for each run (10)
#   OPTIONS     more options for heddle check
# Finished runs are kept in $RAW (build/bench/bugs.jsonl): the same command goes on where it was interrupted.
set -eu
cd "$(dirname "$0")/.."
HEDDLE=${HEDDLE:-$PWD/build/heddle}
RAW=${RAW:-${BUILD:-build}/bench/bugs.jsonl}
ROWS=${ROWS:-}
STRATEGIES=${STRATEGIES:-default bpor cb-por optimal delay random pct pos surw rff rare}
SEEDS=${SEEDS:-20}
OTHER_SEEDS=${OTHER_SEEDS:-3}
JOBS=${JOBS:-$(nproc)}
LIMIT=${LIMIT:-10}
OPTIONS=${OPTIONS:-}
export HEDDLE RAW ROWS STRATEGIES SEEDS OTHER_SEEDS JOBS LIMIT OPTIONS
mkdir -p "$(dirname "$RAW")"
exec python3 bench/bugs/run.py
