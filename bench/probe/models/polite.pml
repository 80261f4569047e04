/* The same philosophers, but the last one takes the right fork first. No deadlock. */
#ifndef N
#define N 7
#endif
byte fork[N], meals[N];

proctype philosopher(byte me; byte first; byte second)
{
    do
    :: atomic { fork[first] == 0 -> fork[first] = 1 };
       atomic { fork[second] == 0 -> fork[second] = 1 };
       meals[me] = (meals[me] + 1) % 3;
       fork[second] = 0;
       fork[first] = 0
    od
}

init
{
    byte i;
    atomic {
        for (i : 0 .. N - 2) { run philosopher(i, i, i + 1) }
        run philosopher(N - 1, 0, N - 1)
    }
}
