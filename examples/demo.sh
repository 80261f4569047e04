#!/bin/sh
# make demo: shows failing and passing checks. Traces go to a temporary directory.
set -u
heddle=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")" || exit 1
traces=$(mktemp -d)
trap 'rm -rf "$traces"' EXIT
failed=0
# show STATUS FILE...: runs a check that must end with that exit status
show() {
    wanted=$1
    shift
    printf '\n$ heddle check %s\n' "$*"
    "$heddle" check "$@" -o "$traces/demo.trace" | grep -v '^replay \|^picture '
    "$heddle" check "$@" -q -o "$traces/demo.trace" >/dev/null
    status=$?
    [ $status = "$wanted" ] || { echo "demo: exit status $status, expected $wanted"; failed=1; }
}
echo "A model that fails: two processes add one to a counter."
show 1 lost-update.pml
echo
echo "A model that passes: Peterson's algorithm, all schedules."
show 0 peterson.pml
echo
echo "A C program that fails, and the same with a lock."
show 1 c/lost-update-atomic.c
show 0 c/lost-update-fixed.c
exit $failed
