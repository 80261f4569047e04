/* Philosophers who take their forks one at a time; the last one in the other order. */
#ifndef N
#define N 10
#endif
bit taken[N];
byte eating[N];

active [N] proctype philosopher()
{
	byte left, right;
	left = (_pid < N - 1 -> _pid : 0);
	right = (_pid < N - 1 -> _pid + 1 : _pid);
	do
	:: atomic { !taken[left] -> taken[left] = 1 };
	   atomic { !taken[right] -> taken[right] = 1 };
	   eating[_pid] = 1;
	   assert(!eating[(_pid + 1) % N] && !eating[(_pid + N - 1) % N]);
	   eating[_pid] = 0;
	   taken[right] = 0;
	   taken[left] = 0
	od
}
