/* `else` can be taken until the receiver is ready, and a local statement makes it ready. */
chan r = [0] of { byte };
active proctype A() { byte l; l = 1; r?_ }
active proctype B() { if :: r!1 :: else -> assert(false) fi }
