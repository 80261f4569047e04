/* A lock with a fast path and a delay, after Alur and Taubenfeld: seven accesses without contention, one delay with
 * it. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 1
#endif
#define MINE (_pid + 1)
byte x, y, inside, timer[N];
bit z, urgent[N];

active [N] proctype user()
{
	do
	:: x = MINE;
	   atomic { y == 0 -> timer[_pid] = D; urgent[_pid] = 1 };
	   atomic { y = MINE; timer[_pid] = D };
	   if
	   :: x == MINE -> atomic { z = 1; timer[_pid] = 0; urgent[_pid] = 0 }
	   :: else ->
		atomic { timer[_pid] = 2 * D + 1; urgent[_pid] = 0 };
		timer[_pid] == 0;
		if
		:: y != MINE -> goto again
		:: else
		fi;
		z == 0;
		z = 1
	   fi;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   atomic {
		z = 0;
		if
		:: y == MINE -> y = 0
		:: else
		fi
	   };
again:	   skip
	od
}

active proctype clock()
{
	byte i;
	bit late;
	do
	:: atomic {
		late = 0;
		for (i : 0 .. N - 1) { late = late || (urgent[i] && timer[i] == 0) };
		if
		:: !late -> for (i : 0 .. N - 1) { timer[i] = (timer[i] > 0 -> timer[i] - 1 : 0) }
		:: else
		fi;
		i = 0;
		late = 0
	   }
	od
}
