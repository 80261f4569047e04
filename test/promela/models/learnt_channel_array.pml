/* Which channel a statement uses depends on a global variable. */
chan c[3] = [1] of { byte };
byte i;

active proctype p()
{
	byte x;
	do
	:: c[i]!i
	:: len(c[i]) > 0 -> c[i]?x
	:: i = (i + 1) % 3
	:: nfull(c[(i + 1) % 3]) -> x = 7
	:: break
	od
}

active proctype q()
{
	byte y;
	do
	:: c[1]?y
	:: c[2]??1
	:: break
	od;
	assert(y < 3)
}
