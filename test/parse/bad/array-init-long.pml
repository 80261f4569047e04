/* expect: 3 values for the 2 elements */
int a[2] = { 1, 2, 3 };
init { a[0] = 1 }
