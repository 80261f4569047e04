/* A counter whose digits are processes that carry to each other. It overflows after some hundred thousand steps. */
#ifndef N
#define N 14
#endif
bit digit[N];
chan carry[N] = [0] of { bit };
proctype cell(byte me)
{
    bit x;
end: do
    :: carry[me]?x ->
       if
       :: digit[me] == 0 -> digit[me] = 1
       :: else -> digit[me] = 0; if :: me < N - 1 -> carry[me + 1]!1 :: else -> assert(false) fi
       fi
    od
}
active proctype clock() { do :: carry[0]!1 od }
init { byte i; atomic { for (i : 0 .. N - 1) { run cell(i) } } }
