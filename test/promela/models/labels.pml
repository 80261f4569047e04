byte x; chan c = [0] of { byte };
active proctype A() { end: do :: c?x -> if :: x == 1 -> skip :: else -> end2: c?x fi od }
active proctype B() { c!1; c!2; if :: c!3 :: skip fi; endx: false }
