/* expect: expected an expression */
int x;
ltl p { [] }
init { x = 1 }
