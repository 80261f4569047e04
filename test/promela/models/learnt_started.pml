/* Processes that come and go. */
byte n;

proctype k(byte v)
{
	byte l = v;
	n = n + l;
	n = n - l
}

init {
	byte i;
	do
	:: i < 3 -> run k(i); i++
	:: break
	od;
	_nr_pr == 1;
	assert(n == 0)
}
