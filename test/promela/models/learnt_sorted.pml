/* Sorted sends, and receives that look for a value of a global variable. */
chan c = [3] of { byte, byte };
byte n;

active [2] proctype p()
{
	byte x;
	do
	:: c!!n,_pid
	:: n = (n + 1) % 3
	:: c??eval(n),x -> assert(x != 1 || n != 2)
	:: c?<x,_>
	:: break
	od
}
