/* Three philosophers, each taking the fork to the left first: they can all wait for each other.  expect: deadlock, 1 preemption */
#define N 3
bool taken[N];

active [N] proctype philosopher()
{
    byte left = _pid, right = (_pid + 1) % N;
    do
    :: atomic { !taken[left] -> taken[left] = true };
       atomic { !taken[right] -> taken[right] = true };
       taken[right] = false;
       taken[left] = false
    od
}
