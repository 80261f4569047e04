#!/bin/sh
# What the verdict says of executables that were stripped, and of shared libraries that heddle cc linked.
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
HEDDLE=${HEDDLE:-$ROOT/build/heddle}
TEMP=$(mktemp -d) && trap 'rm -rf "$TEMP"' EXIT && cd "$TEMP" || exit 1

# expect NAME PROGRAM TEXT: the last line is the verdict with this text behind it.
expect() {
    found=$("$HEDDLE" check "./$2" -q 2> "$2.err" | tail -n 1)
    [ "$found" = "heddle: $3" ] && echo "ok $1" || echo "FAIL $1: $found"
}
none="VERIFIED no error in any schedule"
some="BOUNDED no error in any schedule"

cat > main.c <<'END'
#include <pthread.h>
void change(int value);
static void *work(void *unused) { change(1); return unused; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    change(2);
    pthread_join(t, 0);
    return 0;
}
END
echo 'int x; void change(int value) { x = value; }' > plain.c
echo 'int y; void change(int value) { __atomic_store_n(&y, value, 5); }' > good.c
echo 'int x; __attribute__((no_sanitize("thread"))) void change(int value) { x = value; }' > unseen.c
echo 'int x; void change(int value) { __asm__ volatile("addl %1, %0" : "+m"(x) : "r"(value)); }' > assembly.c
echo 'void change(int); void other(int); void other(int value) { change(value); }' > other.c

cc -O1 -fPIC -c plain.c
"$HEDDLE" cc main.c plain.o -o program -pthread
for how in --strip-all --strip-unneeded --strip-debug; do
    strip $how -o stripped program
    expect "plain object, strip $how" stripped "$some, not fully observed: change() writes memory, which main writes"
done
"$HEDDLE" cc main.c good.c -o program -pthread && strip program
expect "all by heddle cc, strip" program "$none"

# library NAME FILES TEXT
library() {
    "$HEDDLE" cc -fPIC -shared $2 -o libpart.so && "$HEDDLE" cc main.c -o with -pthread -L. -lpart "-Wl,-rpath,$TEMP"
    expect "library: $1" with "$3"
}
library "plain object" "other.c plain.o" "$some, not observed: change() in libpart.so, built without heddle cc"
library "not instrumented" unseen.c "$some, not observed: change() in libpart.so, which is not instrumented"
library assembly assembly.c "$some, as far as it is under control (see the warnings)"
library observed good.c "$none"
strip libpart.so
expect "library without marks" with "$some, not observed: libpart.so, which has no marks of heddle cc"
