/* Philosophers with a butler. After some meals the butler lets all of them sit down, which is one too many. */
#ifndef N
#define N 12
#endif
byte fork[N], seated, served;
proctype philosopher(byte me)
{
    do
    :: atomic { seated < N - 1 + (served >= 200 -> 1 : 0) -> seated++ };
       atomic { fork[me] == 0 -> fork[me] = 1 };
       atomic { fork[(me + 1) % N] == 0 -> fork[(me + 1) % N] = 1 };
       served = (served < 220 -> served + 1 : served);
       fork[me] = 0;
       fork[(me + 1) % N] = 0;
       seated--
    od
}
init { byte i; atomic { for (i : 0 .. N - 1) { run philosopher(i) } } }
