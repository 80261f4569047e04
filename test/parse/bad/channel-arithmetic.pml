/* expect: channel */
chan q = [1] of { byte };
int x;
init { x = q + 1 }
