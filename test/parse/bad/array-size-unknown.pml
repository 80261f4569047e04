/* expect: undeclared variable 'N' */
int a[N];
init { skip }
