int x; chan q = [0] of { byte };
active proctype A() { atomic { x = 1; q!1; x = 2 }; d_step { x = 3; if :: x == 3 -> x = 4 :: else -> x = 5 fi; x = 6 } }
active proctype B() { byte y; d_step { q?y; x = 7; do :: x > 5 -> x-- :: else -> break od; goto in; x = 8; in: x = 9 }; atomic { d_step { x = 1; x = 2 } } }
