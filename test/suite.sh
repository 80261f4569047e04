#!/bin/sh
# Runs one test program and leaves its "ok", "FAIL" and "skip" lines in $LOGS; prints what failed or was skipped, and a
# summary. A unit test is one that speaks TAP (cmocka); every other one is a test/*/run script and ends with "done".
suite=$1
log=$LOGS/$(echo "$suite" | tr / _)
start=$(date +%s)
case $suite in
*/unit/*)
    name=unit/$(basename "$suite")
    CMOCKA_MESSAGE_OUTPUT=TAP "$suite" >"$log.out" 2>&1
    status=$?
    sed -n "s|^ok [0-9]* - \(.*\) # SKIP.*|skip $name \1: skipped by itself|p; t; s|^ok [0-9]* - |ok $name |p" "$log.out" >"$log"
    grep '^skip ' "$log"
    [ $status = 0 ] && grep -q '^ok ' "$log" || { cat "$log.out"; echo "FAIL $name: exit $status" | tee -a "$log"; }
    ;;
*)
    name=$suite
    "$suite" >"$log.out" 2>&1
    grep -v '^ok \|^done$' "$log.out"
    grep -E '^(ok|FAIL|skip) ' "$log.out" >"$log"
    grep -q '^done$' "$log.out" || echo "FAIL $suite: did not run to its end" | tee -a "$log"
    ;;
esac
skipped=$(grep -c '^skip ' "$log")
echo "$name: $(grep -c '^ok ' "$log") passed$([ "$skipped" = 0 ] || echo ", $skipped skipped") in $(($(date +%s) - start)) s"
