/* A token goes round. A station may drop it while it is renewed, and then all wait for ever. */
#ifndef N
#define N 8
#endif
chan ring[N] = [1] of { byte };
byte work[N];

proctype station(byte me)
{
    byte age;
    do
    :: ring[me]?age ->
       if
       :: age < 40 -> ring[(me + 1) % N]!age + 1
       :: age >= 40 && work[me] == 3 -> skip /* forgotten */
       :: age >= 40 && work[me] != 3 -> ring[(me + 1) % N]!0
       fi
    :: len(ring[me]) == 0 && work[me] < 4 && age % 2 == me % 2 -> work[me]++
    od
}

init { byte i; atomic { for (i : 0 .. N - 1) { run station(i) }; ring[0]!0 } }
