/* A machine that fails after a long run of its own, among others that do nothing of interest. */
#ifndef STEPS
#define STEPS 25000
#endif
#ifndef OTHERS
#define OTHERS 4
#endif
int left = STEPS;
byte x[OTHERS];

active proctype machine()
{
    byte phase;
    do
    :: left > 0 -> left--;
       if :: phase == 3 -> phase = 0 :: else -> phase++ fi
    :: left == 0 -> break
    od;
    assert(phase == 1)
}

active [OTHERS] proctype other() { byte me = _pid - 1; do :: x[me] < 9 -> x[me]++ :: x[me] > 0 -> x[me]-- od }
