/* A bounded buffer whose consumers look whether there is something with `if` instead of waiting again. */
#ifndef CONSUMERS
#define CONSUMERS 4
#endif
#define SIZE 3
byte count, mutex, waiting, signals, taken[CONSUMERS];

inline lock() { atomic { mutex == 0 -> mutex = 1 } }

active [2] proctype producer()
{
    do
    :: lock();
       if :: count < SIZE -> count++; if :: waiting > 0 -> waiting--; signals++ :: else -> skip fi :: else -> skip fi;
       mutex = 0
    od
}

active [CONSUMERS] proctype consumer()
{
    byte me = _pid - 2;
    do
    :: lock();
       if
       :: count == 0 -> waiting++; mutex = 0; atomic { signals > 0 -> signals-- }; lock()
       :: else -> skip
       fi;
       assert(count > 0);
       count--;
       taken[me] = (taken[me] + 1) % 5;
       mutex = 0
    od
}
