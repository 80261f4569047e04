/* Stages that pass numbered messages on. The last one has a counter of one byte too few: message 256 is taken for 0. */
#ifndef STAGES
#define STAGES 5
#endif
chan link[STAGES] = [2] of { short };

active proctype source() { short n; do :: n < 400 -> link[0]!n; n++ :: else -> break od }

proctype stage(byte me) { short n; end: do :: link[me]?n; link[me + 1]!n od }

active proctype sink()
{
    short n;
    byte expected;
end: do :: link[STAGES - 1]?n; assert(n == expected); expected++ od
}

init { byte i; atomic { for (i : 0 .. STAGES - 2) { run stage(i) } } }
