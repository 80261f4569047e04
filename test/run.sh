#!/bin/sh
# Runs every unit test and every test/*/run script, two at a time; each prints "ok NAME" or "FAIL NAME: why" lines.
# Ends with "N passed, N failed" and fails if any failed. SUITES="test/cli/run ..." runs only those.
set -u
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
HEDDLE=$PWD/$BUILD/heddle
LOGS=$(mktemp -d)
export BUILD HEDDLE LOGS
trap 'rm -rf "$LOGS"' EXIT
# The longest first, so that none is left alone at the end.
suites=${SUITES:-$(ls test/promela/run test/c/run test/*/run "$BUILD"/unit/* | awk '!seen[$0]++ && !/\.d$/')}
echo "$suites" | tr ' ' '\n' | xargs -P 2 -n 1 sh test/suite.sh
failed=$(find "$LOGS" -type f ! -name '*.out' -exec cat {} + | grep -c '^FAIL ')
passed=$(find "$LOGS" -type f ! -name '*.out' -exec cat {} + | grep -c '^ok ')
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
