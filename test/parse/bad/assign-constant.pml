/* expect: expected */
mtype = { red };
init { red = 1 }
