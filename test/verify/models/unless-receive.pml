/* A message takes the statements before `unless` away. */
chan c = [1] of { byte };
active proctype A() { byte y; { y = 1; y = 2; false } unless { c?_; assert(y == 0) } }
active proctype B() { c!1 }
