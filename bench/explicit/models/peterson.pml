/* Peterson's mutual exclusion for N processes: N - 1 levels, one process held back at each. */
#ifndef N
#define N 4
#endif
byte level[N], held[N], inside;

active [N] proctype user()
{
	byte l, k;
	do
	:: l = 1;
	   do
	   :: l < N ->
		level[_pid] = l;
		held[l] = _pid;
		k = 0;
		do
		:: k < N && (k == _pid || level[k] < l || held[l] != _pid) -> k++
		:: k == N -> break
		od;
		l++
	   :: l == N -> break
	   od;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   level[_pid] = 0
	od
}
