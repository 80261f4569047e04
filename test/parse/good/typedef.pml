typedef Inner { byte a; bool flags[2] }
typedef Outer { Inner one; Inner many[3]; int n = 4; chan c = [2] of { byte } };
Outer o; Outer p[2]; chan q = [1] of { Inner }; Inner x, y;
init { o.one.a = 1; o.many[o.one.a].flags[1] = true; p[1].n = o.n; p[0].c!3; p[0].c?o.n; q!x; q?y; assert(y.a == x.a) }
