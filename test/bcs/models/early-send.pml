/* Fails with one preemption, that of S: then Q waits, P sends and ends, R looks. Where the send goes first, because it
 * commutes with whatever Q does to the channel, Q never waits, and to leave it would be a second preemption. */
chan c = [1] of { byte };
byte x, y, w;
active proctype R() { y == 1; assert(!(x == 1 && w == 1)) }
active proctype Q() { byte m; x = 1; atomic { c?m; x = 0 } }
active proctype P() { c!1; y = 1 }
active proctype S() { w = 1; w = 0 }
