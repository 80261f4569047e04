byte x; chan r = [0] of { byte };
active proctype A() { byte v; { do :: x < 4 -> x++ od } unless { r?v -> x = 20 + v } }
active proctype B() { r!1; x = 3 unless { x > 20 -> x = 0 } }
