/* expect: array */
proctype A(byte n[3]) { n[0] = 1 }
init { run A(1) }
