/* expect: combined with && and || */
chan q = [1] of { byte };
init { full(q) == true }
