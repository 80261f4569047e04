bit p;

active proctype toggler() { do :: p = 1 - p od }

active proctype idle() { bit x; do :: x = 0 od }

never {
S0: if :: !p -> goto accept_S1 :: !p -> goto S2 :: p -> goto S0 :: p -> goto S2 fi;
accept_S1: if :: p -> goto S0 fi;
S2: if :: !p -> goto S0 fi
}
