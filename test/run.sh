#!/bin/sh
# Runs every test/*/run script and every unit test; each prints "ok NAME" or "FAIL NAME: why" lines.
# Ends with "N passed, N failed" and fails if any failed.
set -u
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
HEDDLE=$PWD/$BUILD/heddle
export BUILD HEDDLE
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for unit in "$BUILD"/unit/*; do
    case $unit in *.d) continue ;; esac
    [ -x "$unit" ] || continue
    name=unit/$(basename "$unit")
    if CMOCKA_MESSAGE_OUTPUT=TAP "$unit" >"$log.unit" 2>&1; then
        grep '^ok ' "$log.unit" | sed "s|^ok [0-9]* - |ok $name |" >>"$log"
        grep -q '^ok ' "$log.unit" || echo "FAIL $name: ran no test" | tee -a "$log"
    else
        cat "$log.unit"
        echo "FAIL $name" | tee -a "$log"
    fi
    rm -f "$log.unit"
done
for suite in ${SUITES:-test/*/run}; do
    [ -x "$suite" ] || continue
    start=$(date +%s)
    before=$(grep -c '^ok ' "$log")
    "$suite" 2>&1 | tee "$log.suite" | grep -v '^ok '
    grep -E '^(ok|FAIL) ' "$log.suite" >>"$log"
    grep -q '^done$' "$log.suite" || echo "FAIL $suite: did not run to its end" | tee -a "$log"
    rm -f "$log.suite"
    echo "$suite: $(($(grep -c '^ok ' "$log") - before)) passed in $(($(date +%s) - start)) s"
done
passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^FAIL ' "$log")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
