/* expect: needs a width */
unsigned x;
init { x = 1 }
