/* Two processes that must interrupt each other many times at the right places for the assertion to fail. */
#ifndef TURNS
#define TURNS 6
#endif
byte level, noise[4];

active proctype left()
{
    byte i;
    do
    :: i < TURNS -> if :: level == 2 * i -> level++ :: else -> skip fi; i++
    :: else -> break
    od
}

active proctype right()
{
    byte i;
    do
    :: i < TURNS -> if :: level == 2 * i + 1 -> level++ :: else -> skip fi; i++
    :: else -> break
    od;
    assert(level < 2 * TURNS)
}

active [4] proctype other() { byte me = _pid - 2; do :: noise[me] < 6 -> noise[me]++ :: noise[me] > 0 -> noise[me]-- od }
