/* Renaming with a triangle of splitters, after Moir and Anderson: of those who come to a splitter, one at most stays;
 * not all go right, and not all go down. */
#ifndef N
#define N 3
#endif
#define AT (row * N + column)
byte door[N * N];          /* who came last */
bit closed[N * N], taken[N * N];

active [N] proctype user()
{
	byte row, column;
	do
	:: door[AT] = _pid + 1;
	   if
	   :: closed[AT] -> column++
	   :: else ->
		closed[AT] = 1;
		if
		:: door[AT] == _pid + 1 -> break
		:: else -> row++
		fi
	   fi;
	   assert(row + column < N)
	od;
	assert(!taken[AT]);
	taken[AT] = 1
}
