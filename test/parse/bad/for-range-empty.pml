/* expect: is empty */
int i;
init { for (i : 3 .. 1) { skip } }
