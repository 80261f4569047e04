/* expect: cannot have an initial value */
proctype A(byte n = 3) { n = 1 }
init { run A(1) }
