byte x; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { byte n; do :: n < 3 -> if :: c?x -> n++ :: else -> n++; x = 9 fi :: else -> break od; if :: r!1 :: else -> x = 77 fi }
active proctype B() { c!4; c!5; if :: r?x :: else -> x = 66 fi }
