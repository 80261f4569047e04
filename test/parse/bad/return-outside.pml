/* expect: 'return' outside */
int x;
init { return x }
