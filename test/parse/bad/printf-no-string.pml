/* expect: as the first argument of printf */
int x;
init { printf(x) }
