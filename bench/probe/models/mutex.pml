/* Mutual exclusion with a flag that is tested before it is set, among many processes that compute. */
#ifndef OTHERS
#define OTHERS 6
#endif
byte inside, flag[2], x[OTHERS];

active [2] proctype user()
{
    byte tries;
    do
    :: tries < 50 && flag[1 - _pid] == 0 ->
       flag[_pid] = 1;
       tries++;
       if
       :: tries < 20 -> flag[_pid] = 0
       :: else -> inside++; assert(inside == 1); inside--; flag[_pid] = 0
       fi
    :: tries == 50 -> break
    od
}

active [OTHERS] proctype other() { byte me = _pid - 2; do :: x[me] < 9 -> x[me]++ :: x[me] > 0 -> x[me]-- od }
