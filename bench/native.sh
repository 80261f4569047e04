#!/bin/sh
# Schedules per second of the engine for real programs, and how the cost of a schedule grows with its length.
# Rates are per second of processor time of heddle and the program together, since other work may share the machine.
set -eu
cd "$(dirname "$0")/.."
HEDDLE=${HEDDLE:-$PWD/build/heddle}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
measure() { # steps of each thread, repetitions, options
    "$HEDDLE" cc -O2 -DSTEPS="$1" -DREPEAT="$2" bench/native_steps.c -o "$dir/program"
    python3 - "$HEDDLE" "$dir/program" "$@" <<'PY'
import json, resource, subprocess, sys
heddle, program, steps, repeat, *options = sys.argv[1:]
before = resource.getrusage(resource.RUSAGE_CHILDREN)
out = subprocess.run([heddle, "check", program, "--json", *options], capture_output=True, text=True).stdout
after = resource.getrusage(resource.RUSAGE_CHILDREN)
r = json.loads(out)
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
n = r["executions"]
print(f"2 threads x {steps:>3} steps  {options[0]:<17} {n:>9,} schedules  {n / cpu:>9,.0f} per second of CPU  "
      f"{n / r['seconds']:>9,.0f} per second  {cpu / n * 1e9 / (2 * int(steps)):>6.0f} ns per step")
PY
}
measure 5 1000 --explore=dfs
measure 5 1000 --explore=optimal
for steps in 5 10 20 40 80; do measure $steps 1 --explore=random --executions=100000; done
