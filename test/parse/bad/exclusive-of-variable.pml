/* expect: not a channel */
byte x;
init { xr x; x = 1 }
