/* Stations that hand a turn on. Once all have worked enough, two of them hand it to and fro and nothing is done. */
#ifndef N
#define N 5
#endif
byte turn, work[N];

proctype station(byte me)
{
    do
    :: turn == me ->
       if
       :: work[me] < 9 -> progress: work[me]++; turn = (me + 1) % N
       :: work[me] == 9 && me < 2 && work[N - 1] == 9 -> turn = 1 - me
       :: else -> progress_reset: work[me] = (work[me] == 9 && me >= 2 && work[0] < 9 -> 0 : work[me]); turn = (me + 1) % N
       fi
    od
}

init { byte i; atomic { for (i : 0 .. N - 1) { run station(i) } } }
