/* N telephones that call each other. A subscriber may forward calls to the next one, and who is busy may be called
 * back. */
#ifndef N
#define N 2
#endif
#define NONE N
mtype = { idle, dialling, calling, ringing, talking, busy };
mtype is[N] = idle;
byte with[N] = NONE;       /* whom this telephone calls, is called by, or talks to */
byte back[N] = NONE;       /* whom to call when this telephone is on hook again */
bit forwards[N];

active [N] proctype telephone()
{
	byte whom;
	do
	:: atomic { is[_pid] == idle -> is[_pid] = dialling }
	:: atomic { is[_pid] == idle -> forwards[_pid] = !forwards[_pid] }
	:: atomic { is[_pid] == idle && back[_pid] != NONE -> is[_pid] = calling; with[_pid] = back[_pid]; back[_pid] = NONE }
	:: atomic { is[_pid] == dialling -> is[_pid] = idle }
	:: atomic { is[_pid] == dialling -> select(whom : 0 .. N - 1); is[_pid] = calling; with[_pid] = whom; whom = 0 }
	:: atomic { is[_pid] == calling && forwards[with[_pid]] && is[with[_pid]] != ringing ->
			with[_pid] = (with[_pid] + 1) % N }
	:: atomic { is[_pid] == calling && is[with[_pid]] == idle ->
			whom = with[_pid]; is[whom] = ringing; with[whom] = _pid; whom = 0 }
	:: atomic { is[_pid] == calling && is[with[_pid]] != idle ->
			whom = with[_pid]; whom == _pid || with[whom] != _pid;
			is[_pid] = busy;
			if
			:: whom != _pid -> back[whom] = _pid
			:: skip
			fi;
			with[_pid] = NONE; whom = 0 }
	:: atomic { is[_pid] == calling && is[with[_pid]] == ringing ->      /* gives up */
			whom = with[_pid]; with[whom] == _pid;
			is[whom] = idle; with[whom] = NONE; is[_pid] = idle; with[_pid] = NONE; whom = 0 }
	:: atomic { is[_pid] == ringing -> is[_pid] = talking; is[with[_pid]] = talking }
	:: atomic { is[_pid] == talking -> assert(is[with[_pid]] == talking);
			whom = with[_pid]; assert(with[whom] == _pid);
			is[whom] = busy; with[whom] = NONE; is[_pid] = idle; with[_pid] = NONE; whom = 0 }
	:: atomic { is[_pid] == busy -> is[_pid] = idle }
	od
}
