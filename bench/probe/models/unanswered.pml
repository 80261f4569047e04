/* A server that stops answering one of its clients once it has served so many requests of the others. */
#ifndef CLIENTS
#define CLIENTS 4
#endif
byte asked[CLIENTS], served, load[CLIENTS];
bool waits;

active proctype server()
{
    byte i;
    do
    :: i = 0;
       do
       :: i < CLIENTS ->
          if
          :: asked[i] && !(i == 2 && served > 150) -> asked[i] = 0; served = (served < 160 -> served + 1 : served);
             if :: i == 2 -> waits = false :: else -> skip fi
          :: else -> skip
          fi;
          i++
       :: else -> break
       od
    od
}

proctype client(byte me)
{
    do
    :: asked[me] == 0 -> asked[me] = 1; if :: me == 2 -> waits = true :: else -> skip fi
    :: load[me] < 4 -> load[me]++
    :: load[me] > 0 -> load[me] = 0
    od
}

init { byte i; atomic { for (i : 0 .. CLIENTS - 1) { run client(i) } } }

ltl answered { [] (waits -> <> !waits) }
