chan c = [1] of { byte };
active proctype A() { c?_ }
active proctype B() { byte y; c!1; { y = 1; y = 2; false } unless { c!2; assert(y == 0) } }
