/* Peterson's algorithm: at most one of two processes is in its critical section.  expect: verified */
bool wants[2];
byte turn, inside;

active [2] proctype user()
{
    pid me = _pid, other = 1 - _pid;
    do
    :: wants[me] = true;
       turn = other;
       !wants[other] || turn == me;
       inside++;
       assert(inside == 1);
       inside--;
       wants[me] = false
    od
}
