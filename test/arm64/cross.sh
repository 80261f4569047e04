#!/bin/sh
# The runtime compiled for arm64, and a program with it run by itself and explored under qemu-user: make test-arm64. $WRAPPED, $BUILD,
# $LIBS: as in the Makefile; $ONLY: a pattern for those of the programs that are wanted.
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
build() { # SOURCE OUTPUT FLAG...
    from=$1 out=$2
    shift 2
    $cc -D__HEDDLE__=1 -fsanitize=thread --param=tsan-distinguish-volatile=1 -g -fno-omit-frame-pointer -Iinclude "$@" -c "$from" -o "$out.o"
    # shellcheck disable=SC2086
    $cc "$out.o" $wrapped "$work/rt.o" -rdynamic -Wl,-z,now -ldl -lpthread -Wl,--no-as-needed -latomic -o "$out"
}
build test/arm64/threads.c "$work/threads" -O1
build test/arm64/threads.c "$work/threads-bug" -O1 -DBUG
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
"found: race: "*) echo "ok arm64: a race is found" ;;
*) echo "FAIL arm64: $said"; exit 1 ;;
esac

# The programs of test/programs that are checked without options, with the arguments that they want: what must come out on any processor.
# Not those about inline assembly of another processor, other libraries, other processes, and files, which heddle puts back; nor
# more than 64 threads: the second runtime is not linked here.
failed=0
for source in test/programs/${ONLY:-*.c}; do
    case $(basename "$source") in
    asm-*|concurrency-kit*|urcu*|openmp*|fork*|threads-many*|path-race*|by-itself*|build-options*|fifo*|shared-memory*) continue ;;
    esac
    sed -n 's/.*expect\( with --\( [^-:]*\)\)\{0,1\}: \(VERIFIED\|BOUNDED\|ERROR\) \([a-z]*\).*/\3:\4:\2/p' "$source" >"$work/expected"
    [ -s "$work/expected" ] || continue
    flags=$(sed -n 's/.*flags: //p' "$source")
    # shellcheck disable=SC2086
    build "$source" "$work/program" ${flags:--O1} -w 2>"$work/errors" || { echo "skip arm64 $source: $(head -1 "$work/errors")"; continue; }
    while IFS=: read -r verdict kind arguments; do
        # shellcheck disable=SC2086
        said=$("$work/explore" 7 "$work/program" $arguments 2>/dev/null </dev/null)
        case $verdict,$said in
        ERROR,"found: $kind: "* | VERIFIED,"finished, complete, "* | BOUNDED,"finished, "*) echo "ok arm64: $(basename "$source")$arguments" ;;
        *) echo "FAIL arm64: $(basename "$source")$arguments: $verdict $kind expected, $said"; failed=1 ;;
        esac
    done <"$work/expected"
done
exit $failed
