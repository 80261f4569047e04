/* Trains on a circle of blocks with a single-track bridge: two that wait for each other's block stop the line. */
#ifndef N
#define N 6
#endif
#define B 16
byte block[B], trips[N];
proctype train(byte me; byte from; bool back)
{
    byte at = from, next;
    atomic { block[at] == 0 -> block[at] = me + 1 };
    do
    :: trips[me] < 3 ->
       next = (back && at == 0 -> B - 1 : (back -> at - 1 : (at + 1) % B));
       if
       :: at == 8 && trips[me] == 2 && me == 2 && !back -> back = true
       :: else -> atomic { block[next] == 0 -> block[next] = me + 1 };
          block[at] = 0; at = next;
          if :: at == from -> trips[me]++ :: else -> skip fi
       fi
    :: else -> block[at] = 0; break
    od
}
init { byte i; atomic { for (i : 0 .. N - 1) { run train(i, 2 * i, false) } } }
