/* Cycles through labels. Agrees with pan -a, pan -a -f, pan -l and pan -l -f. */
byte x;
active proctype worker()
{
again:
    if
    :: x < 3 -> x++; goto again
    :: x == 3 -> goto rest
    fi;
rest:
    do
    :: x == 3 -> x = 2
    :: x == 2 -> accept_here: x = 3
    od
}
active proctype idle() { do :: x > 200 -> progress: skip od }
