#!/bin/sh
# Speed of the strategies in memory, executions per bound, and plots of coverage against time ($BUILD/bench/*.svg).
set -eu
cd "$(dirname "$0")/.."
out=${BUILD:-build}/bench
mkdir -p "$out"
sources=$(ls test/schedule/*.c | grep -v judge.c)
${CC:-cc} -std=gnu11 -O2 -g -Isrc -Itest/schedule -o "$out/schedule" bench/schedule.c src/schedule/*.c $sources -lm
"$out/schedule" speed
"$out/schedule" table
for program in locks racy eight-threads cyclic; do
    fair=-1
    [ $program = cyclic ] && fair=1
    "$out/schedule" plot "$out/schedule-$program.svg" bench/schedule/$program.txt "$program" $fair
done
