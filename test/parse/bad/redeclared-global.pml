/* expect: already declared */
int x;
byte x;
init { x = 1 }
