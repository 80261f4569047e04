/* A file system with a table of inodes and a map of blocks: processes create files, write blocks and remove files,
 * each inode and the map under a lock. The state vector is large. */
#ifndef N
#define N 3
#endif
#define INODES 4
#define BLOCKS 12
typedef inode { bit locked, used; byte block[4]; byte blocks };
inode table[INODES];
bit map_locked, busy[BLOCKS];
byte owner[BLOCKS];

active [N] proctype user()
{
	byte f, b;
	do
	:: f = _pid;
	   do
	   :: f < INODES - 1 -> f++
	   :: break
	   od;
	   atomic { !table[f].locked -> table[f].locked = 1 };
	   if
	   :: !table[f].used -> table[f].used = 1
	   :: table[f].used && table[f].blocks < 2 ->
		atomic { !map_locked -> map_locked = 1 };
		b = (f * 3) % BLOCKS;
		do
		:: busy[b] -> b = (b + 1) % BLOCKS
		:: !busy[b] -> break
		od;
		busy[b] = 1;
		assert(owner[b] == 0);
		owner[b] = f + 1;
		map_locked = 0;
		table[f].block[table[f].blocks] = b;
		table[f].blocks++
	   :: table[f].used && table[f].blocks > 0 ->
		atomic { !map_locked -> map_locked = 1 };
		do
		:: table[f].blocks > 0 ->
			table[f].blocks--;
			b = table[f].block[table[f].blocks];
			assert(owner[b] == f + 1);
			owner[b] = 0;
			busy[b] = 0;
			table[f].block[table[f].blocks] = 0
		:: table[f].blocks == 0 -> break
		od;
		map_locked = 0;
		table[f].used = 0
	   :: else
	   fi;
	   table[f].locked = 0
	od
}
