/* Anderson's queue lock: every process spins on a slot of its own. */
#ifndef N
#define N 6
#endif
bit go[N];
byte next, inside;

proctype user()
{
	byte slot;
	do
	:: atomic { slot = next; next = (next + 1) % N };
	   go[slot] == 1;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   go[slot] = 0;
	   go[(slot + 1) % N] = 1
	od
}

init {
	byte i;
	atomic {
		go[0] = 1;
		do
		:: i < N -> run user(); i++
		:: else -> break
		od
	}
}
