#!/bin/sh
# Heddle against Spin on models that scale (bench/explicit/run.py).
set -e
exec "$(dirname "$0")/explicit/run.py" --quick
