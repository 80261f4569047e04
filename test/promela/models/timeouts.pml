byte x; chan c = [1] of { byte };
active proctype A() { do :: x < 2 -> x++ :: timeout -> break od; c!1; if :: timeout -> c?_ :: c?2 fi; x = 5 }
active proctype B() { (x == 2); x = 3; do :: timeout && x == 3 -> x = 4 :: x == 4 -> break od }
