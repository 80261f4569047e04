/* The same program with the automaton B2 of Fig. 3: choosing the ample set at the source state misses the error. */
bit p = 0;
active proctype p0() { p = 1 }
active proctype p1() { bit x = 0; do :: x = 0 od }
never {
S0: if :: !p -> goto S2 :: !p -> goto S1 fi;
S1: if :: !p -> goto S2 :: p -> goto accept_S3 fi;
S2: if :: !p -> goto S1 fi;
accept_S3: do :: p od
}
