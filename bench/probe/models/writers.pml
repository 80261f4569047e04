/* Readers enter and leave; a writer waits until no reader is inside. */
#ifndef N
#define N 7
#endif
byte readers, work[N];
bool writing, wants;
proctype reader(byte me)
{
    do
    :: atomic { !writing -> readers++ };
       do :: work[me] < 5 -> work[me]++ :: work[me] > 0 -> break od;
       work[me] = 0;
       readers--
    od
}
active proctype writer() { do :: wants = true; atomic { readers == 0 -> writing = true }; wants = false; writing = false od }
init { byte i; atomic { for (i : 0 .. N - 1) { run reader(i) } } }
ltl writes { [] (wants -> <> writing) }
