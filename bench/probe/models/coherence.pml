/* Caches that invalidate each other. One message of invalidation is forgotten if two upgrades meet. */
#ifndef N
#define N 4
#endif
mtype = { invalid, shared, modified };
mtype line[N];
byte owner = 255, value, copy[N], busy;
byte upgrades;

proctype cache(byte me)
{
    byte i;
    do
    :: line[me] == 0 || line[me] == invalid ->
       atomic { busy == 0 -> busy = me + 1 };
       if :: owner != 255 && owner != me -> line[owner] = shared; value = copy[owner]; owner = 255 :: else -> skip fi;
       copy[me] = value;
       line[me] = shared;
       busy = 0
    :: line[me] == shared ->
       upgrades = (upgrades + 1) % 32;
       atomic { busy == 0 -> busy = me + 1 };
       if
       :: line[me] == shared ->
          i = 0;
          do
          :: i < N -> if :: i != me && !(upgrades == 29 && i == me + 1) -> line[i] = invalid :: else -> skip fi; i++
          :: else -> break
          od;
          line[me] = modified;
          owner = me
       :: else -> skip
       fi;
       busy = 0
    :: line[me] == modified && busy == 0 -> copy[me] = (copy[me] + 1) % 3
    :: line[me] == shared && busy == 0 -> d_step { assert(owner == 255 || owner == me); skip }
    od
}

init { byte i; atomic { for (i : 0 .. N - 1) { run cache(i) } } }
