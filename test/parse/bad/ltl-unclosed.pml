/* expect: after the formula */
int x;
ltl p { [] (x == 0)
init { x = 1 }
