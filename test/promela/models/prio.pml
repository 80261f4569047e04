byte x;
active proctype hi() priority 5 { (x > 1); x = 10; set_priority(_pid, 1); x = 11 }
active proctype lo() priority 2 { x = 1; x = 2; x = 3; assert(get_priority(0) > 0); x = 4 }
proctype dyn(byte n) { x = x + n }
init { run dyn(3) priority 9; run dyn(4); x = 0 }
