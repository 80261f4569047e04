#!/bin/sh
# Schedules per second of the engine for real programs: how the cost of a schedule grows with its length, and families of
# programs whose number of traces is known. Arguments: the parts of rates.py to run, such as "orders".
# Rates are per second of processor time of heddle and the program together, since other work may share the machine.
set -eu
cd "$(dirname "$0")/.."
HEDDLE=${HEDDLE:-$PWD/build/heddle}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HEDDLE dir
python3 bench/native/rates.py "$@"
