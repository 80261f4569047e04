/* expect: more than one field */
chan q = [1] of { byte, byte };
byte x;
init { q!1,2; q?x,x }
