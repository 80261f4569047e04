/* Lamport's fast mutual exclusion: a guard and its assignments in one step */
#define N 3
byte x, y, b[N], in;
active [N] proctype P()
{
	byte j = 0;
start:	if :: d_step { 1; b[_pid] = 1; j = 0 } goto p2 fi;
p2:	if :: d_step { 1; x = _pid + 1 } goto p3 fi;
p3:	if :: d_step { y != 0; b[_pid] = 0 } goto p4 :: d_step { y == 0; y = _pid + 1 } goto p5 fi;
p4:	if :: d_step { y == 0; j = 0 } goto start fi;
p5:	if :: d_step { x == _pid + 1; in++ } goto cs :: d_step { x != _pid + 1; b[_pid] = 0; j = 0 } goto p6 fi;
p6:	if :: d_step { j < N && b[j] == 0; j = j + 1 } goto p6 :: d_step { j == N; 1 } goto p7 fi;
p7:	if :: d_step { y == _pid + 1; in++ } goto cs :: d_step { y != _pid + 1; 1 } goto p8 fi;
p8:	if :: d_step { y == 0; 1 } goto start fi;
cs:	assert(in == 1);
	if :: d_step { 1; in--; y = 0 } goto p9 fi;
p9:	if :: d_step { 1; b[_pid] = 0 } goto start fi
}
