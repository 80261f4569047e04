/* The counterexample of Siegel, CAV 2019, Fig. 2: Spin with its reduction reports no error. */
bit p = 0;
active proctype p0() { p = 1 }
active proctype p1() { bit x = 0; do :: x = 0 od }
never {
B0: do :: !p :: !p -> break od
accept_B1: do :: p od
}
