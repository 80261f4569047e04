/* expect: only an unsigned */
byte x : 3;
init { x = 1 }
