/* Lamport's bakery with tickets up to M; who would need a larger one waits until all have left. */
#ifndef N
#define N 3
#endif
#ifndef M
#define M 6
#endif
bit choosing[N];
byte ticket[N], inside;

active [N] proctype user()
{
	byte j, most;
	do
	:: choosing[_pid] = 1;
	   most = 0;
	   j = 0;
	   do
	   :: j < N ->
		if
		:: ticket[j] > most -> most = ticket[j]
		:: else
		fi;
		j++
	   :: j == N -> break
	   od;
	   if
	   :: most < M -> ticket[_pid] = most + 1
	   :: else -> choosing[_pid] = 0; goto again
	   fi;
	   choosing[_pid] = 0;
	   j = 0;
	   do
	   :: j < N ->
		choosing[j] == 0;
		(ticket[j] == 0 || ticket[j] > ticket[_pid] || (ticket[j] == ticket[_pid] && j >= _pid));
		j++
	   :: j == N -> break
	   od;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   ticket[_pid] = 0;
again:	   skip
	od
}
