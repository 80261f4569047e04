/* Leader election in a ring by the largest number. Two stations have the same number, and think of themselves. */
#ifndef N
#define N 9
#endif
mtype = { candidate, elected };
chan ring[N] = [N] of { mtype, byte };
byte leaders, load[N];
proctype station(byte me; byte number)
{
    byte seen;
    ring[(me + 1) % N]!candidate, number;
end:
    do
    :: ring[me]?candidate, seen ->
       if
       :: seen > number -> ring[(me + 1) % N]!candidate, seen
       :: seen == number -> leaders++; assert(leaders == 1); ring[(me + 1) % N]!elected, number
       :: else -> skip
       fi
    :: ring[me]?elected, seen -> if :: seen != number -> ring[(me + 1) % N]!elected, seen :: else -> skip fi; break
    :: load[me] < 2 -> load[me]++
    od
}
init { byte i; atomic { for (i : 0 .. N - 1) { run station(i, (i == 4 -> 8 : i)) } } }
