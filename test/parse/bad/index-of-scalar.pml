/* expect: is not an array */
int a;
init { a[1] = 1 }
