/* expect: it is a proctype */
proctype A() { skip }
int A;
init { A = 1 }
