/* Fields of typedefs have initial values wherever a variable of the typedef is declared, from the start of its process;
 * parameters have what they are given. */
mtype = { red, green };
typedef Inner { byte q = 4; byte r[3] = 2; chan c[2] = [1] of { byte } };
typedef Outer { byte k = 1 + 2; short s[2] = -7; mtype m = green; unsigned u : 3 = 9; Inner i[2]; byte list[4] = { 5, 6 } };
typedef Pair { byte x = 8; byte y = 9 };
Outer a, b[2];
chan last = [1] of { short };

proctype child(Pair z; byte n) {
	Pair own;
	assert(own.x == 8 && own.y == 9);
	assert(z.x == n && z.y == n + 1);
	z.x = own.y
}

active proctype nobody(Pair z) { assert(z.x == 0 && z.y == 0) }

init {
	Pair p;
	byte got;
	assert(a.k == 3 && a.s[1] == -7 && a.m == green && a.u == 1 && b[1].i[1].q == 4 && b[0].i[1].r[2] == 2);
	assert(a.list[0] == 5 && a.list[1] == 6 && a.list[2] == 6 && b[1].list[3] == 6);
	b[1].i[0].c[1]!3;
	assert(len(b[1].i[0].c[0]) == 0 && len(a.i[0].c[1]) == 0 && len(last) == 0);
	b[1].i[0].c[1]?got;
	last!300;
	run child(p, 8);
	p.x = 1; p.y = 2;
	run child(p, 1);
	Outer late;
	assert(late.k == 3 && late.i[1].q == 4);
	do
	:: got < 5 -> Pair again; assert(again.x == 8 + got - 3); again.x++; got++
	:: else -> break
	od;
	late.i[1].c[0]!1;
	{ Inner block; assert(block.q == 4 && len(block.c[0]) == 0) }
}
