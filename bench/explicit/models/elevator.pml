/* An elevator with F floors and P people who want to go from one floor to another. */
#ifndef F
#define F 4
#endif
#ifndef P
#define P 3
#endif
bit called[F], wanted[F], open;
byte floor, aboard;
bit up = 1;

active proctype elevator()
{
	byte i;
	bit work;
	do
	:: (called[floor] || wanted[floor]) ->
		atomic { open = 1; called[floor] = 0; wanted[floor] = 0 };
		open == 1;
		atomic { open = 0 }
	:: else ->
		atomic {
			work = 0;
			i = 0;
			do
			:: i < F -> work = work || called[i] || wanted[i]; i++
			:: else -> break
			od;
			i = 0
		};
		if
		:: work && up && floor < F - 1 -> floor++
		:: work && up && floor == F - 1 -> up = 0
		:: work && !up && floor > 0 -> floor--
		:: work && !up && floor == 0 -> up = 1
		:: !work
		fi
	od
}

active [P] proctype person()
{
	byte at, to;
	do
	:: select(to : 0 .. F - 1);
	   if
	   :: to == at
	   :: else ->
		called[at] = 1;
		atomic { open && floor == at -> aboard++ };
		wanted[to] = 1;
		atomic { open && floor == to -> aboard--; at = to };
		assert(aboard < P)
	   fi
	od
}
