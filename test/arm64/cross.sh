#!/bin/sh
# The runtime compiled for arm64, and a program with it run by itself and explored under qemu-user: make test-arm64. $WRAPPED, $BUILD,
# $LIBS: as in the Makefile.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=aarch64-linux-gnu-gcc
for f in src/runtime/*.c src/schedule/*.c; do
    $cc -std=gnu11 -Isrc -O2 -fPIC -fvisibility=hidden -fno-stack-protector -fno-reorder-functions -D__assert_fail=rt_assertion_failed \
        -Wall -Wextra -Wno-missing-field-initializers -Werror -c "$f" -o "$work/$(echo "$f" | tr / -).o"
done
aarch64-linux-gnu-ld -r -o "$work/rt.o" "$work"/src-*.o
redefined= wrapped=
for f in $WRAPPED; do redefined="$redefined --redefine-sym $f=__real_$f" wrapped="$wrapped -Wl,--wrap=$f"; done
# shellcheck disable=SC2086
aarch64-linux-gnu-objcopy --localize-hidden --rename-section .text=heddle_text,alloc,load,readonly,code,contents $redefined "$work/rt.o"
build() { # OUTPUT FLAG...
    out=$1
    shift
    $cc -fsanitize=thread --param=tsan-distinguish-volatile=1 -g -fno-omit-frame-pointer -O1 "$@" -c test/arm64/threads.c -o "$out.o"
    # shellcheck disable=SC2086
    $cc "$out.o" $wrapped "$work/rt.o" -rdynamic -Wl,-z,now -ldl -lpthread -o "$out"
}
build "$work/threads"
build "$work/threads-bug" -DBUG
said=$(timeout -s KILL 60 qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/threads")
[ "$said" = "3 3 3" ] || { echo "FAIL arm64: $said"; exit 1; }
echo "ok arm64: the runtime compiles, and a program runs by itself"
# As many schedules as on this processor, by each strategy that covers all of them.
cc -std=gnu11 -Isrc -O1 -o "$work/explore" test/arm64/explore.c "$BUILD/libheddle.a" $LIBS
for how in dpor:5 optimal:6; do
    here=$("$BUILD/heddle" check test/arm64/threads.c --cflags -O1 "--explore=${how%:*}" --json | sed -n 's/^  "executions": \([0-9]*\),/\1/p')
    there=$("$work/explore" "${how#*:}" "$work/threads")
    case $there in
    "finished, complete, $here schedules") echo "ok arm64: ${how%:*} explores $here schedules" ;;
    *) echo "FAIL arm64: ${how%:*}: $here schedules here, there $there"; exit 1 ;;
    esac
done
said=$("$work/explore" 7 "$work/threads-bug")
case $said in
"found a race: "*) echo "ok arm64: a race is found" ;;
*) echo "FAIL arm64: $said"; exit 1 ;;
esac
