/* expect: not a chan */
byte q = [1] of { byte };
init { q = 1 }
