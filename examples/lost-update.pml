/* Two processes add one to a counter; each reads it and writes it back in two steps.  expect: assertion, 1 preemption */
byte n, done;

active [2] proctype inc()
{
    byte seen;
    seen = n;
    n = seen + 1;
    done++
}

active proctype check()
{
    done == 2;
    assert(n == 2)
}
