/* processes die in the order opposite to their birth; run gives the pid */
byte made[8]; byte count;
proctype kid(byte depth) { byte c; if :: depth > 0 -> c = run kid(depth - 1); made[c] = 1 :: skip fi; count++ }
init { byte a, b; a = run kid(1); b = run kid(2); (_nr_pr == 1); a = run kid(0); assert(a == 1) }
