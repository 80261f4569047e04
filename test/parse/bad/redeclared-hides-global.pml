/* expect: already declared */
int x;
init { int x; x = 1 }
