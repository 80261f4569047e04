/* expect: is empty */
int i;
init { select (i : 3 .. 1) }
