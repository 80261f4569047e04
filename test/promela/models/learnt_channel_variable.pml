/* Channels in a variable that others change. */
chan a = [2] of { byte };
chan b = [1] of { byte };
chan g;
byte n;

proctype p()
{
	byte x;
	do
	:: g!n
	:: n < 3 -> n++
	:: g?x -> assert(x < 3)
	:: break
	od
}

proctype q()
{
	do
	:: g = a
	:: g = b
	:: break
	od
}

init { g = a; run p(); run q() }
