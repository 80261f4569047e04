/* a step that depends on a channel it does not use (dstep-else): the other end must not be taken to go first */
byte x; chan c = [1] of { byte };
active proctype A() { byte n; d_step { if :: c?x -> n++ :: else -> n = 9 fi }; assert(n != 9)  }
active proctype B() { c!4 }
