/* expect: has no meaning here */
int x;
init { x = $ 3 }
