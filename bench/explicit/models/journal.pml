/* A file system with a journal: writers change pairs of blocks at once, a flusher copies what is committed, and the
 * power fails. */
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef LOG
#define LOG 2
#endif
byte disk[BLOCKS * 2], entry[LOG * 2], value[LOG * 2], first, used;
bit committed[LOG * 2], off, lock;

active [WRITERS] proctype writer()
{
	byte b, slot;
	bit new;
	do
	:: atomic { !off && !lock && used + 1 < LOG * 2 -> lock = 1; select(b : 0 .. BLOCKS - 1); new = 1 - disk[b * 2] };
	   do
	   :: atomic { off -> lock = 0; b = 0; slot = 0; new = 0; break }
	   :: atomic { !off && slot < 2 ->
			entry[(first + used) % (LOG * 2)] = b * 2 + slot;
			value[(first + used) % (LOG * 2)] = new;
			used++;
			slot++ }
	   :: atomic { !off && slot == 2 ->
			committed[(first + used - 1) % (LOG * 2)] = 1;
			committed[(first + used - 2) % (LOG * 2)] = 1;
			lock = 0; b = 0; slot = 0; new = 0; break }
	   od
	od
}

inline copy()
{
	disk[entry[first]] = value[first];
	entry[first] = 0;
	value[first] = 0;
	committed[first] = 0;
	first = (first + 1) % (LOG * 2);
	used--
}

active proctype flusher()
{
	do
	:: atomic { !off && used > 0 && committed[first] -> copy() }
	od
}

active proctype power()
{
	byte b;
	do
	:: atomic { !off -> off = 1 }
	:: atomic { off && !lock ->
		do
		:: used > 0 && committed[first] -> copy()
		:: used > 0 && !committed[first] -> entry[first] = 0; value[first] = 0; first = (first + 1) % (LOG * 2); used--
		:: used == 0 -> break
		od;
		for (b : 0 .. BLOCKS - 1) { assert(disk[b * 2] == disk[b * 2 + 1]) };
		b = 0;
		off = 0 }
	od
}
