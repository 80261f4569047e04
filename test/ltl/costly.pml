byte x;
active proctype A() { x = 1; x = 0 }
active proctype B() { assert(x == 0) }
ltl p { [](x < 2) }
