/* Two-phase commit. A participant that times out aborts by itself, though it has voted yes. */
#ifndef N
#define N 5
#endif
mtype = { yes, no, commit, abort };
chan votes = [N] of { byte, mtype };
chan orders[N] = [1] of { mtype };
mtype state[N];
byte work[N];

active proctype coordinator()
{
    byte i, who, agreed;
    mtype vote;
    do
    :: i < N -> votes?who, vote; if :: vote == yes -> agreed++ :: else -> skip fi; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < N -> if :: agreed == N -> orders[i]!commit :: else -> orders[i]!abort fi; i++
    :: else -> break
    od
}

proctype participant(byte me)
{
    mtype order;
    do :: work[me] < 12 -> work[me]++ :: work[me] > 7 -> break od;
    if :: votes!me, yes :: votes!me, no; state[me] = abort; goto wait fi;
wait:
    if
    :: orders[me]?order -> if :: state[me] == 0 -> state[me] = order :: else -> skip fi
    :: state[me] == 0 && work[me] == 11 -> state[me] = abort; orders[me]?order
    fi;
    byte i;
    for (i : 0 .. N - 1) { assert(!(state[me] == commit && state[i] == abort)) }
}

init { byte i; atomic { for (i : 0 .. N - 1) { run participant(i) } } }
