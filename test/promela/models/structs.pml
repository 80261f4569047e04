typedef inner { byte b[2]; bit f }; typedef outer { inner in[2]; short s; chan c };
outer o; chan q = [2] of { inner, byte };
active proctype A() { outer l; l.in[1].b[0] = 3; l.in[1].f = 3; l.s = -1; q!l.in[1],7; o.in[0].b[1] = 200; o.in[0].b[1] = o.in[0].b[1] + 100; q!o.in[0],8 }
active proctype B() { inner i; byte k; q?i,k; o.in[1].b[0] = i.b[0] + k; o.c = q; o.c?i,_; assert(i.b[1] != 44 || k == 7) }
