/* Fischer's lock with a discrete clock: a user writes its number within D ticks after it found the lock free, and
 * waits longer than D before it reads the number again. */
#ifndef N
#define N 3
#endif
#ifndef D
#define D 1
#endif
byte id, inside, timer[N];
bit urgent[N];   /* the timer is a deadline: time stands still when it is zero */

active [N] proctype user()
{
	do
	:: atomic { id == 0 -> timer[_pid] = D; urgent[_pid] = 1 };
	   atomic { id = _pid + 1; timer[_pid] = D + 1; urgent[_pid] = 0 };
	   timer[_pid] == 0;
	   if
	   :: id == _pid + 1 ->
		inside++;
		assert(inside == 1);
		inside--;
		id = 0
	   :: else
	   fi
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
