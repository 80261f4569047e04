/* a step that depends on a channel it does not use (escape-receive): the other end must not be taken to go first */
byte x, y; chan c = [1] of { byte };
active proctype A() { { x = 1; x = 2; x = 3 } unless { c?y }; assert(x != 3) }
active proctype B() { c!4 }
