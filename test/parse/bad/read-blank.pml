/* expect: can be written, not read */
int x;
init { x = _ }
