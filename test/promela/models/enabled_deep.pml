/* Who asks about somebody who asks about somebody. */
byte x;
active proctype p0() { enabled(1) -> x++ }
active proctype p1() { enabled(2) -> x++ }
active proctype p2() { enabled(3) -> x++ }
active proctype p3() { enabled(4) -> x++ }
active proctype p4() { enabled(5) -> x++ }
active proctype p5() { enabled(6) -> x++ }
active proctype p6() { enabled(7) -> x++ }
active proctype p7() { enabled(8) -> x++ }
active proctype p8() { x == 0 -> assert(x < 8) }
