/* Counters beside a process that alternates for ever. The formula holds. */
#ifndef N
#define N 5
#endif
byte x[N];
bool on;

proctype counter(byte me) { do :: x[me] < 7 -> x[me]++ :: x[me] > 0 -> x[me]-- od }

active proctype flip() { do :: on = !on od }

init { byte i; atomic { for (i : 0 .. N - 1) { run counter(i) } } }

ltl together { [] (x[0] == 7 -> (x[0] > 5 U (x[0] < 7 || [] (x[0] == 7)))) }
