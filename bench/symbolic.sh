#!/bin/sh
# The symbolic engine: families that grow, and the programs of the literature (bench/symbolic/run.py).
set -e
exec "$(dirname "$0")/symbolic/run.py" families exclusion
