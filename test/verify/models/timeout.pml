/* p1 waits for timeout and ends before p0 does: no preemption. */
byte y;
active proctype p0() { assert(y == 0 || _nr_pr < 2); timeout; assert(_nr_pr == 2 || y == 2) }
active proctype p1() { if :: skip fi; timeout }
