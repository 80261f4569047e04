/* Consensus in synchronous rounds, by flooding: each node sends the set of values it has seen to each other, T nodes
 * may crash, also amid their sending, and after T + 1 rounds all that are alive decide for the least value. */
#ifndef N
#define N 3
#endif
#ifndef T
#define T 1
#endif
byte seen[N], got[N], crashes, waiting = N, round, decided = 255;
bit dead[N], started;

active [N] proctype node()
{
	byte to, at;
	if
	:: seen[_pid] = 1
	:: seen[_pid] = 2
	:: seen[_pid] = 4
	fi;
	do
	:: atomic { round == at };
	   to = 0;
	   do
	   :: to < N -> got[to] = got[to] | seen[_pid]; to++
	   :: to < N && crashes < T -> atomic { crashes++; dead[_pid] = 1; waiting--; goto gone }
	   :: to == N -> break
	   od;
	   atomic { to = 0; at++; waiting-- };
	   atomic { round == at -> seen[_pid] = seen[_pid] | got[_pid] };
	   if
	   :: at == T + 1 -> break
	   :: else
	   fi
	od;
	atomic {
		at = (seen[_pid] & 1 -> 0 : (seen[_pid] & 2 -> 1 : 2));
		assert(decided == 255 || decided == at);
		decided = at;
		at = 0
	};
gone:	skip
}

active proctype clock()
{
	do
	:: atomic { round <= T && waiting == 0 -> round++; waiting = N - crashes }
	:: round > T -> break
	od
}
