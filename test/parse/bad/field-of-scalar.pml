/* expect: has no fields */
int x;
init { x.a = 1 }
