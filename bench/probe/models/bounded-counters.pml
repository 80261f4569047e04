/* Counters that go up and down by themselves, all within their range. No error. */
#ifndef N
#define N 6
#endif
byte x[N];

proctype counter(byte me) { do :: x[me] < 9 -> x[me]++ :: x[me] > 0 -> x[me]-- od }

active proctype watch() { do :: x[0] + x[1] > 18 -> assert(false) od }

init { byte i; atomic { for (i : 0 .. N - 1) { run counter(i) } } }
