/* Szymanski's mutual exclusion: a waiting room with two doors. */
#ifndef N
#define N 3
#endif
byte flag[N], inside;

active [N] proctype user()
{
	byte j;
	do
	:: flag[_pid] = 1;
	   j = 0;
	   do
	   :: j < N -> flag[j] < 3; j++
	   :: j == N -> break
	   od;
	   flag[_pid] = 3;
	   j = 0;
	   do
	   :: j < N && flag[j] == 1 ->
		flag[_pid] = 2;
		j = 0;
		do
		:: flag[j] == 4 -> break
		:: else -> j = (j + 1) % N
		od;
		break
	   :: j < N && flag[j] != 1 -> j++
	   :: j == N -> break
	   od;
	   flag[_pid] = 4;
	   j = 0;
	   do
	   :: j < _pid -> flag[j] < 2; j++
	   :: j == _pid -> break
	   od;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   j = _pid + 1;
	   do
	   :: j < N -> flag[j] < 2 || flag[j] > 3; j++
	   :: j == N -> break
	   od;
	   flag[_pid] = 0;
	   j = 0
	od
}
