chan q = [1] of { byte }; int x;
init { assert(x == 0); assert x == 0; assert(full(q) || empty(q)); assert true }
