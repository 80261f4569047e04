/* expect: expected ')' */
chan q = [1] of { byte };
byte x;
init { q!1; q?(x + 1) }
