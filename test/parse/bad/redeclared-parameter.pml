/* expect: already declared */
int n;
proctype A(int n) { n = 1 }
init { run A(1) }
