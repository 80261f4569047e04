/* A world of N blocks on a table and H hands that move the blocks. */
#ifndef N
#define N 4
#endif
#ifndef H
#define H 1
#endif
#define TABLE 254
#define HELD 255
byte on[N] = TABLE;
bit covered[N];

active [H] proctype hand()
{
	byte b, to;
	do
	:: atomic { select(b : 0 .. N - 1); !covered[b] && on[b] != HELD;
			if
			:: on[b] != TABLE -> covered[on[b]] = 0
			:: else
			fi;
			on[b] = HELD };
	   if
	   :: atomic { on[b] = TABLE; b = 0 }
	   :: atomic { select(to : 0 .. N - 1); to != b && !covered[to] && on[to] != HELD;
			covered[to] = 1; on[b] = to; b = 0; to = 0 }
	   fi
	od
}
