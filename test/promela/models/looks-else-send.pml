/* a step that depends on a channel it does not use (else-send): the other end must not be taken to go first */
byte x; chan c = [2] of { byte };
active proctype A() { byte n; if :: c!1 :: else -> n = 2 fi; assert(n != 2)  }
active proctype B() { byte k; c?k; c?k }
init { c!1; c!2 }
