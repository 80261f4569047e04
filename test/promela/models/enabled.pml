byte x;
active proctype A() { (x == 1); x = 2; (x == 5) }
active proctype B() { if :: enabled(0) -> x = 7 :: !enabled(0) -> x = 1 fi; if :: enabled(0) -> x = 5 :: else -> x = 3 fi }
