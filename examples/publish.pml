/* The reader may see the new flag with the old data: one preemption at the right place is enough.  expect: assertion, 1 preemption */
bit data, ready, busy;

active proctype reader()
{
    bit a, b;
    a = data;
    b = ready;
    assert(!(a == 0 && b == 1))
}

active proctype writer()
{
    busy = 1;
    data = 1;
    ready = 1
}
