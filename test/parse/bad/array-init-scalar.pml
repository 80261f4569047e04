/* expect: no array */
int a = { 1, 2 };
init { a = 1 }
