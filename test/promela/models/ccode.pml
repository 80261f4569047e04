c_decl { typedef struct Coord { int x, y; } Coord; }
c_state "Coord pt" "Global"
byte n;
active proctype A() { c_code { now.pt.x = now.pt.y = 0; }; do :: c_expr { now.pt.x == now.pt.y && now.pt.x < 3 } -> c_code { now.pt.y++; } :: c_expr { now.pt.x != now.pt.y } -> c_code { now.pt.x++; now.n = now.pt.x; } :: n == 3 -> break od }
active proctype B() { byte k; c_code { PB->k = 7; }; n = n + k; n = n - k }
