/* `else` beside a receive can be taken only before the message comes: B must not be made to go first. */
chan c = [1] of { byte };
active proctype A() { if :: c?_ :: else -> assert(false) fi }
active proctype B() { c!1 }
