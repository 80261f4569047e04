/* An escape that a global variable opens. */
byte x, y;

active [2] proctype p()
{
	byte l;
	{
		do
		:: x < 2 -> x++
		:: l = x
		od
	} unless { y == 1 -> l = 9 };
	assert(l == 9);
	y = 0
}

active proctype q()
{
	x == 2;
	y = 1;
	x = 0
}
