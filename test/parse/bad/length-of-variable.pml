/* expect: is not a channel */
byte q;
init { len(q) > 0 }
