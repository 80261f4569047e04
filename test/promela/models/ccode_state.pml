/* Initial values of c_state, headers for the C compiler, and the names that Spin gives to things. */
c_decl {
	\#include <limits.h>
\#include <string.h>
	typedef struct T { int a; char b[4]; } T;
}
c_code { static int plus(int a, int b) { return a + b; } }
c_state "int t" "Global" "3"
c_state "short row[2]" "Global"
c_state "T whole" "Global"
c_state "short own" "Local p" "7"
c_state "int shared" "Hidden" "4"
typedef M { byte a; short b[2] };
byte x;
M m;

active [2] proctype p() {
	byte l;
	c_code { now.t = plus(now.t, 1); Pp->own += 2; Pp->l = Pp->_pid + 1; };
	assert(l == _pid + 1);
	assert(c_expr { Pp->own == 9 && now.t >= 4 && now.t <= 5 && shared == 4 });
	{ byte block; block = 3; c_code { now.row[1] = now._nr_pr; now.m.b[1] = CHAR_BIT; }; x++ };
	assert(m.b[1] == 8 && c_expr { now.row[1] == now._nr_pr || now._nr_pr < 3 });
	c_code { strcpy(now.whole.b, "abc"); }
}

active proctype other() {
	x == 1;
	c_code { ((P0 *)pptr(0))->l = 5; Printf("%d\n", ((P0 *)_this)->_pid); };
	assert(p[0]:l == 5)
}
