/* The puzzle of sliding tiles, W wide and H high: every arrangement that can be reached. */
#ifndef W
#define W 3
#endif
#ifndef H
#define H 2
#endif
byte tile[W * H];
byte hole = W * H - 1;

inline slide(from) { tile[hole] = tile[from]; tile[from] = 0; hole = from }

active proctype player()
{
	byte i;
	atomic { for (i : 0 .. W * H - 2) { tile[i] = i + 1 }; i = 0 };
	do
	:: atomic { hole % W > 0 -> slide(hole - 1) }
	:: atomic { hole % W < W - 1 -> slide(hole + 1) }
	:: atomic { hole >= W -> slide(hole - W) }
	:: atomic { hole < W * (H - 1) -> slide(hole + W) }
	od
}
