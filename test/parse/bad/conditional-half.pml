/* expect: expected ':' */
int x;
init { x = (x > 1 -> 2) }
