/* expect: cannot count */
chan q = [1] of { byte };
init { for (q : 1 .. 3) { skip } }
