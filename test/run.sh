#!/bin/sh
# Runs every unit test and every test/*/run script, two at a time; each prints "ok NAME", "FAIL NAME: why" or
# "skip NAME: why" lines. Ends with "N passed, N failed", with ", N skipped" if any was, and fails if any failed.
# SUITES="test/cli/run ..." runs only those.
set -u
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
HEDDLE=$PWD/$BUILD/heddle
LOGS=$(mktemp -d)
XDG_CACHE_HOME=$(mktemp -d) # compiled models: neither from the user's nor into the user's
export BUILD HEDDLE LOGS XDG_CACHE_HOME
trap 'rm -rf "$LOGS" "$XDG_CACHE_HOME"' EXIT
# The longest first, so that none is left alone at the end.
suites=${SUITES:-$(printf "%s\n" test/promela/run test/c/run test/*/run "$BUILD"/unit/* | awk '!seen[$0]++ && !/\.d$/')}
echo "$suites" | tr ' ' '\n' | xargs -P 2 -n 1 sh test/suite.sh
count() { find "$LOGS" -type f ! -name '*.out' -exec cat {} + | grep -c "^$1 "; }
passed=$(count ok) failed=$(count FAIL) skipped=$(count skip)
echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
