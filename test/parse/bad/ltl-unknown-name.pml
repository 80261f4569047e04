/* expect: undeclared variable 'y' */
int x;
ltl p { [] (y == 0) }
init { x = 1 }
