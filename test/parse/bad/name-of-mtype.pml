/* expect: mtype constant */
mtype = { red };
init { int red; red = 1 }
