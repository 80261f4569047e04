#!/bin/sh
# Runs one test program and leaves its "ok" and "FAIL" lines in $LOGS; prints what failed and a summary.
# A unit test is one that speaks TAP (cmocka); every other one is a test/*/run script and ends with "done".
suite=$1
log=$LOGS/$(echo "$suite" | tr / _)
start=$(date +%s)
case $suite in
*/unit/*)
    name=unit/$(basename "$suite")
    CMOCKA_MESSAGE_OUTPUT=TAP "$suite" >"$log.out" 2>&1
    status=$?
    grep '^ok ' "$log.out" | sed "s|^ok [0-9]* - |ok $name |" >"$log"
    [ $status = 0 ] && grep -q '^ok ' "$log" || { cat "$log.out"; echo "FAIL $name: exit $status" | tee -a "$log"; }
    ;;
*)
    name=$suite
    "$suite" >"$log.out" 2>&1
    grep -v '^ok \|^done$' "$log.out"
    grep -E '^(ok|FAIL) ' "$log.out" >"$log"
    grep -q '^done$' "$log.out" || echo "FAIL $suite: did not run to its end" | tee -a "$log"
    ;;
esac
echo "$name: $(grep -c '^ok ' "$log") passed in $(($(date +%s) - start)) s"
