/* a step that depends on a channel it does not use (dstep-blocks): the other end must not be taken to go first */
byte x, y, z; chan c = [1] of { byte };
active proctype A() { d_step { x = 1; c?y; x = 0 } }
active proctype B() { c!4 }
