/* expect: nfull(q) is the negation */
chan q = [1] of { byte };
init { !full(q) }
