/* A declaration behind the first statement is an assignment: before it the variable is 0, its value is taken where it stands,
 * and of an array only the first element is set. */
byte a[3] = { 1, 2, 3 };
byte short_list[4] = { 7 };
byte g = 1;
inline twice(x) { byte copy = x; assert(copy == x); copy++ }

proctype adds(byte n) { byte hoisted = n + g; n = 0; byte late = n + g; assert(hoisted == 3 + g || g == 2); assert(late == g || g == 2) }

active proctype jumps() {
	byte i;
	byte list[3] = { 4, 5 };
	assert(list[2] == 5 && short_list[3] == 7);
	goto over;
	byte y = 5;
over:	assert(y == 0);
	{ byte z = 3; assert(z == 3) };
	i = 2;
	byte w = a[i - 1];
	assert(w == 2);
	byte row[2] = 9;
	assert(row[0] == 9 && row[1] == 0);
	if
	:: i == 2 -> byte one = 1; skip
	:: i == 3 -> byte two = 2; skip
	fi;
	assert(one == 1 && two == 0);
	do
	:: i < 4 -> byte fresh; assert(fresh == 0); fresh = i; byte given = i; assert(given == i); i++
	:: else -> break
	od;
	atomic { i = 1; byte inside = i; assert(inside == 1) };
	d_step { i = 6; byte deeper = i; byte part[2] = i; assert(deeper == 6 && part[0] == 6 && part[1] == 0) };
	twice(i);
	twice(a[1])
}

init { run adds(3); g = 2; byte here = g; assert(here == 2) }
