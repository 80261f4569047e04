/* Counters that go up and down by themselves. Some of them must not be at certain values at the same time. */
#ifndef N
#define N 8
#endif
byte x[N];

proctype counter(byte me) { do :: x[me] < 9 -> x[me]++ :: x[me] > 0 -> x[me]-- od }

active proctype watch()
{
    do :: atomic { x[0] == 6 && x[1] == 5 && x[2] == 4 -> assert(x[3] != 3) } od
}

init { byte i; atomic { for (i : 0 .. N - 1) { run counter(i) } } }
