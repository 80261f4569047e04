/* The same at the other end: the channel is full until A has received. */
chan c = [1] of { byte };
active proctype A() { c?_; c?_ }
active proctype B() { c!1; if :: c!2 :: else -> assert(false) fi }
