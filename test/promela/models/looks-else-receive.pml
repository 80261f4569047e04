/* a step that depends on a channel it does not use (else-receive): the other end must not be taken to go first */
byte x; chan c = [1] of { byte };
active proctype A() { byte n; if :: c?x -> n++ :: else -> x = 9 fi  }
active proctype B() { c!4; c!5 }
