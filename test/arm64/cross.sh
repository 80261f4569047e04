#!/bin/sh
# The runtime compiled for arm64, and a program with it run by itself under qemu-user: make test-arm64. $WRAPPED: as in the Makefile.
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
$cc -fsanitize=thread -g -fno-omit-frame-pointer -O1 -c test/arm64/threads.c -o "$work/threads.o"
# shellcheck disable=SC2086
$cc "$work/threads.o" $wrapped "$work/rt.o" -rdynamic -Wl,-z,now -ldl -lpthread -o "$work/threads"
said=$(timeout -s KILL 60 qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/threads")
[ "$said" = "3 3 3" ] || { echo "FAIL arm64: $said"; exit 1; }
echo "ok arm64: the runtime compiles, and a program runs by itself"
