chan c = [1] of { byte };
active proctype A() { d_step { if :: c?_ :: else -> assert(false) fi } }
active proctype B() { c!1 }
