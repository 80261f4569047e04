/* The same where the local statement could be merged with the one before it. */
byte x;
chan r = [0] of { byte };
active proctype A() { byte l; x = 1; l = 1; r?_ }
active proctype B() { x == 1; if :: r!1 :: else -> assert(false) fi }
