/* expect: indexed by itself */
int a[2];
init { a[a[1]] = 1 }
