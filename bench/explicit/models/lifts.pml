/* A plan for L lifts that bring P people to their floors: where the lifts are, and where each person is. */
#ifndef P
#define P 4
#endif
#ifndef F
#define F 4
#endif
#ifndef L
#define L 2
#endif
#define SEATS 3
#define INSIDE 100
#define GOAL ((2 * who + 1) % F)
byte at[P], floor[L], aboard[L];

active [L] proctype lift()
{
	byte who;
	do
	:: atomic { floor[_pid] < F - 1 -> floor[_pid]++ }
	:: atomic { floor[_pid] > 0 -> floor[_pid]-- }
	:: atomic { select(who : 0 .. P - 1);
		   if
		   :: aboard[_pid] < SEATS && at[who] == floor[_pid] && at[who] != GOAL ->
			at[who] = INSIDE + _pid; aboard[_pid]++
		   :: at[who] == INSIDE + _pid && (floor[_pid] == F / 2 || floor[_pid] == GOAL) ->
			at[who] = floor[_pid]; aboard[_pid]--
		   fi;
		   assert(aboard[_pid] <= SEATS);
		   who = 0 }
	od
}
