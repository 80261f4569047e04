/* Peterson's filter: a guard and its assignments in one step */
#define N 3
byte pos[N], step[N], in;
active [N] proctype P()
{
	byte j = 0, k = 0;
ncs:	if :: d_step { 1; j = 1 } goto wait fi;
wait:	if :: d_step { j < N; pos[_pid] = j } goto q2 :: d_step { j == N; in++ } goto cs fi;
q2:	if :: d_step { 1; step[j-1] = _pid; k = 0 } goto q3 fi;
q3:	if
	:: d_step { k < N && (k == _pid || pos[k] < j); k = k + 1 } goto q3
	:: d_step { step[j-1] != _pid || k == N; j = j + 1 } goto wait
	fi;
cs:	assert(in == 1);
	if :: d_step { 1; in--; pos[_pid] = 0 } goto ncs fi
}
