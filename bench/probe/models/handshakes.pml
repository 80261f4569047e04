/* A long chain of handshakes. Each process waits for the one before, twice, and the last one must not be overtaken. */
#ifndef N
#define N 60
#endif
byte stage[N];
byte ready;

proctype link(byte me)
{
    (me == 0 || stage[me - 1] > 0);
    stage[me] = 1;
    ready++;
    (me == N - 1 || stage[me + 1] > 0 || ready == N - 3);
    stage[me] = 2;
    (me == 0 || stage[me - 1] == 2);
    assert(me == 0 || ready != N - 3 || stage[me - 1] == 2);
    if :: ready == N - 3 && me > N / 2 -> assert(false) :: else -> skip fi
}

init { byte i; atomic { for (i : 0 .. N - 1) { run link(i) } } }
