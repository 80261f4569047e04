/* expect: takes 1 argument, not 2 */
proctype A(byte n) { n = 1 }
init { run A(1, 2) }
