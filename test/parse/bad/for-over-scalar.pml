/* expect: not a whole array */
int i, x;
init { for (i in x) { skip } }
