/* A directory that keeps N caches of one line coherent: shared and exclusive copies, invalidation, write-back. */
#ifndef N
#define N 3
#endif
mtype = { invalid, shared, exclusive, getS, getX, dataS, dataX, inv, ack };
chan request = [1] of { mtype, byte };
chan to[N] = [2] of { mtype };   /* from the directory: what it gives and what it takes back, in order */
chan answer = [N] of { mtype, byte };
mtype line[N] = invalid;
byte writers, readers;

active [N] proctype cache()
{
	byte me = _pid;
	do
	:: line[me] == invalid ->
		if
		:: request!getS, me
		:: request!getX, me
		fi;
		do
		:: to[me]?inv -> answer!ack, me
		:: to[me]?dataS -> line[me] = shared; break
		:: to[me]?dataX -> line[me] = exclusive; break
		od
	:: line[me] == shared ->
		readers++;
		assert(writers == 0);
		readers--
	:: line[me] == exclusive ->
		writers++;
		assert(writers == 1 && readers == 0);
		writers--
	:: to[me]?inv -> line[me] = invalid; answer!ack, me
	od
}

active proctype directory()
{
	bit holds[N];
	bit owned;
	byte who, i, waits, x;
	mtype m, a;
	do
	:: request?m, who ->
		if
		:: m == getX || owned ->
			i = 0;
			do
			:: i < N && holds[i] && i != who -> to[i]!inv; waits++; i++
			:: i < N && !(holds[i] && i != who) -> i++
			:: i == N -> break
			od;
			do
			:: waits > 0 -> answer?a, x; holds[x] = 0; waits--
			:: waits == 0 -> break
			od;
			owned = 0
		:: else
		fi;
		holds[who] = 1;
		if
		:: m == getX -> owned = 1; to[who]!dataX
		:: else -> to[who]!dataS
		fi
	od
}
