byte x, g;
chan c0 = [0] of { byte };
active proctype p1() { byte l; g = 1; atomic { c0?l; x = 2 }; assert(g == 1) }
active proctype p2() { atomic { x = 1; c0!1 } }
active proctype p0() { assert(x != 1) }
