/* expect: undeclared variable 'x' */
init { x = 1 }
int x;
