# Sourced by run: Spin's verdicts in the same run. Its reduction misses the error of Fig. 2, a full search does not.
pan() { # pan MODEL CFLAGS OPTIONS...: prints the number of errors
    cp "$1" "$tmp/m.pml"
    flags=$2
    shift 2
    (cd "$tmp" && spin -a m.pml >/dev/null 2>&1 && gcc -O1 $flags -o pan pan.c 2>/dev/null && ./pan "$@" 2>&1 | sed -n 's/.*errors: \([0-9]*\).*/\1/p')
}
agrees() { # agrees NAME MODEL "PAN OPTIONS" "HEDDLE OPTIONS"
    errors=$(pan "$2" -DNOREDUCE $3)
    "$HEDDLE" check "$2" -o "$tmp/trace" $4 >/dev/null 2>&1
    [ "$?" = "$((errors > 0))" ] && ok "$1" || bad "$1" "pan found $errors errors"
}
[ "$(pan fig2.pml "" -a)" = 0 ] && ok spin-misses-fig2 || bad spin-misses-fig2 "Spin with reduction found it"
[ "$(pan fig2.pml -DNOREDUCE -a)" = 1 ] && ok spin-full-finds-fig2 || bad spin-full-finds-fig2 "Spin without reduction missed it"
[ -n "${HEDDLE_LTL_SPIN:-}" ] || return 0 # the rest is for longer runs
agrees spin-b2 b2.pml -a ""
agrees spin-acceptance labels.pml -a --acceptance
agrees spin-acceptance-fair labels.pml "-a -f" "--acceptance --fair"
for p in gets_done toggles; do
    agrees spin-$p fair.pml "-a -N $p" "--ltl $p"
    agrees spin-$p-fair fair.pml "-a -f -N $p" "--ltl $p --fair"
done
for p in reaches stays returns small; do agrees spin-$p ends.pml "-a -N $p" "--ltl $p"; done
progress=$(pan labels.pml "-DNP -DNOREDUCE" -l)
[ "$progress" -gt 0 ] && ok spin-progress || bad spin-progress "pan -l found $progress errors"
progress=$(pan ends.pml "-DNP -DNOREDUCE" -l)
[ "$progress" = 0 ] && ok spin-ends-is-no-cycle || bad spin-ends-is-no-cycle "pan -l found $progress errors"
python3 random.py "$HEDDLE" 30 2 spin
