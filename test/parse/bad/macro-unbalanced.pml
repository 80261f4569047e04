/* expect: expected */
#define OPEN (
int x;
init { x = OPEN 1; x = 2 }
