byte x;
active [3] proctype P() { byte t; t = x; x = t + 1; assert(x < 3); d_step { t = 0; assert(x != 2 || t == 0) } atomic { x > 1 -> assert(x == 2); x = 0 } }
