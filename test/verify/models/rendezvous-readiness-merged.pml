byte x, g;
chan c0 = [0] of { byte };
active proctype p1() { byte l, k; g = 1; k = l + 1; l = k; atomic { c0?l; x = 2 }; skip }
active proctype p2() { (g == 1); atomic { x = 1; c0!1 } }
active proctype p0() { assert(x != 1) }
