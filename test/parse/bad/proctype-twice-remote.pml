/* expect: 3:10: error: proctype 'A' is declared twice */
proctype A() { byte x; L: x = 1 }
proctype A() { byte y; M: y = 2 }
init { run A() }
ltl p { [] !(A@L) && [] (A@M || A:y == 0) }
