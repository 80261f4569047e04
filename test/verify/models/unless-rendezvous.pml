byte x;
chan r = [0] of { byte };
active proctype A() { byte l; x = 1; l = 1; r?_ }
active proctype B() { x == 1; { assert(false) } unless { r!1 } }
