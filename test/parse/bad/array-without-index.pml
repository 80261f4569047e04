/* expect: needs an index */
int a[2];
init { a = 1 }
