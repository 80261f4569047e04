/* Philosophers who all take the left fork first. The deadlock needs every one of them, and a depth-first search meets it
 * after a long detour. */
#ifndef N
#define N 30
#endif
byte fork[N], meals[N];

proctype philosopher(byte me)
{
    do
    :: atomic { fork[me] == 0 -> fork[me] = 1 };
       atomic { fork[(me + 1) % N] == 0 -> fork[(me + 1) % N] = 1 };
       meals[me] = (meals[me] + 1) % 5;
       fork[(me + 1) % N] = 0;
       fork[me] = 0
    od
}

init { byte i; atomic { for (i : 0 .. N - 1) { run philosopher(i) } } }
