chan c = [1] of { byte };
active proctype A() { byte y; atomic { y = 1; if :: c?_ :: else -> assert(false) fi } }
active proctype B() { c!1 }
