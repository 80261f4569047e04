/* A preemptive scheduler on one processor: N tasks with a priority each, a lock that some of them share, and priority
 * inheritance. */
#ifndef N
#define N 3
#endif
#ifndef WORK
#define WORK 2
#endif
#define NONE N
mtype = { asleep, ready, blocked };
mtype is[N] = asleep;
byte rank[N], running = NONE, owner = NONE, left[N];

active proctype scheduler()
{
	byte i, best;
	atomic { for (i : 0 .. N - 1) { rank[i] = i + 1 }; i = 0 };
	do
	:: atomic {
		best = NONE;
		for (i : 0 .. N - 1) {
			if
			:: is[i] == ready && (best == NONE || rank[i] > rank[best]) -> best = i
			:: else
			fi
		};
		best != running -> running = best;
		i = 0;
		best = 0
	   }
	od
}

active proctype interrupts()
{
	byte i;
	do
	:: atomic { select(i : 0 .. N - 1); is[i] == asleep -> is[i] = ready; left[i] = WORK; i = 0 }
	od
}

active [N] proctype task()
{
	byte me = _pid - 2;
	do
	:: atomic { running == me && is[me] == ready && left[me] > 0 -> left[me]-- }
	:: atomic { running == me && is[me] == ready && owner == NONE -> owner = me }
	:: atomic { running == me && is[me] == ready && owner != NONE && owner != me ->
			is[me] = blocked;
			if
			:: rank[owner] < rank[me] -> rank[owner] = rank[me]
			:: else
			fi }
	:: atomic { is[me] == blocked && owner == NONE -> is[me] = ready }
	:: atomic { running == me && owner == me -> assert(is[me] == ready); owner = NONE; rank[me] = me + 1 }
	:: atomic { running == me && is[me] == ready && left[me] == 0 && owner != me -> is[me] = asleep }
	od
}
