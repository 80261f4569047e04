/* expect: already declared */
init { int x; { int x; x = 1 } }
