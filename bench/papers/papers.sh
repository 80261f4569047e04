#!/bin/sh
# All sections beside being printed go to doc/papers.md; some of them are printed only. Fails if a check does not hold.
set -u
here=$(dirname "$0")
if [ $# -gt 0 ]; then exec "$here/run.py" "$@"; fi
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"$here/run.py" >"$new"
status=$?
cat "$new"
[ -s "$new" ] && cp "$new" "$here/../../doc/papers.md"
exit $status
