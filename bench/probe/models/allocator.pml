/* Clients take units of two resources one by one, up to their claims. The manager looks at one resource only. */
#ifndef N
#define N 5
#endif
byte pool[2], has0[N], has1[N], rounds[N];
proctype client(byte me; byte a; byte b)
{
    do
    :: rounds[me] < 6 ->
       do
       :: has0[me] < a -> atomic { pool[0] > 0 -> pool[0]--; has0[me]++ }
       :: has1[me] < b && (has0[me] == a || rounds[me] > 3) -> atomic { pool[1] > 0 -> pool[1]--; has1[me]++ }
       :: has0[me] == a && has1[me] == b -> break
       od;
       atomic { pool[0] = pool[0] + a; pool[1] = pool[1] + b; has0[me] = 0; has1[me] = 0 };
       rounds[me]++
    :: else -> break
    od
}
init
{
    byte i;
    atomic { pool[0] = N; pool[1] = N - 1; for (i : 0 .. N - 1) { run client(i, 2, 1 + i % 2) } }
}
