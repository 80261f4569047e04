#!/bin/sh
# Time and memory of Heddle against pan on models with ltl properties or never claims: see liveness.py.
# usage: EXAMPLES=directory of Spin's example models bench/liveness.sh [MODEL.pml:PROPERTY ...]
here=$(dirname "$0")
exec python3 "$here/liveness.py" "${HEDDLE:-$here/../build/heddle}" "${EXAMPLES:-/usr/share/doc/spin/examples/Examples}" "$@"
