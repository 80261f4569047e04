/* A cycle of some thousand steps that never comes by where it should. */
#ifndef STEPS
#define STEPS 1500
#endif
short clock;
byte x[4], phase;

active proctype ticker()
{
    do
    :: clock < STEPS -> clock++
    :: clock == STEPS -> clock = 0; phase = (phase == 2 -> 1 : phase + 1)
    od
}

active [4] proctype other() { byte me = _pid - 1; do :: x[me] < 9 -> x[me]++ :: x[me] > 0 -> x[me]-- od }

ltl returns { [] <> (phase == 0) }
