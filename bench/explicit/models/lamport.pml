/* Lamport's fast mutual exclusion: seven accesses without contention. */
#ifndef N
#define N 3
#endif
byte x, y, inside;
bit wants[N];

active [N] proctype user()
{
	byte j;
	do
	:: wants[_pid] = 1;
	   x = _pid + 1;
	   if
	   :: y != 0 -> wants[_pid] = 0; y == 0; goto again
	   :: else
	   fi;
	   y = _pid + 1;
	   if
	   :: x != _pid + 1 ->
		wants[_pid] = 0;
		j = 0;
		do
		:: j < N -> !wants[j]; j++
		:: j == N -> break
		od;
		j = 0;
		if
		:: y != _pid + 1 -> y == 0; goto again
		:: else
		fi
	   :: else
	   fi;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   y = 0;
	   wants[_pid] = 0;
again:	   skip
	od
}
