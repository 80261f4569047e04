typedef pair { byte a; byte b[2] };
byte s; bit one; unsigned three : 3; pair p; chan q = [1] of { byte }; mtype = { red }; mtype m;
proctype other(byte x; chan c) { x[0] = x + 1; c[0]!x[0] }
init { byte i;
	s[0] = 1; s[0]++; one[0] = s[0] > 1; three = s[0] + 6; p[0].a[0] = 3; p.b[0] = p[0].b[1];
	run other(s[0], q[0]); q[0]?i[0]; m[0] = red; for (i[0] : 1 .. 2) { skip };
	assert(i[0] == 3 && m == red && len(q[0]) == 0) }
