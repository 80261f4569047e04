/* An acceptance cycle that begins when two of many counters meet. */
#ifndef N
#define N 7
#endif
byte x[N];
bool stuck;

proctype counter(byte me) { do :: x[me] < 9 -> x[me]++ :: x[me] > 0 -> x[me]-- od }

active proctype watch()
{
    do
    :: x[0] == 7 && x[1] == 3 -> stuck = true; accept: do :: stuck -> skip od
    :: else -> skip
    od
}

init { byte i; atomic { for (i : 0 .. N - 1) { run counter(i) } } }
