/* N philosophers who wait for the first fork, only try the second, put the first back if it is taken, and grow
 * hungrier each time. */
#ifndef N
#define N 3
#endif
#ifndef H
#define H 2
#endif
#define LEFT _pid
#define RIGHT ((_pid + 1) % N)
byte fork[N];              /* who holds it, plus one */
byte hunger[N];

inline hungrier() { hunger[_pid] = (hunger[_pid] < H -> hunger[_pid] + 1 : H) }

active [N] proctype philosopher()
{
	do
	:: if
	   :: atomic { fork[LEFT] == 0 -> fork[LEFT] = _pid + 1 };
	      if
	      :: atomic { fork[RIGHT] == 0 -> fork[RIGHT] = _pid + 1 }
	      :: atomic { fork[RIGHT] != 0 -> fork[LEFT] = 0; hungrier() }; goto again
	      fi
	   :: atomic { hunger[RIGHT] < H && fork[RIGHT] == 0 -> fork[RIGHT] = _pid + 1 };
	      if
	      :: atomic { fork[LEFT] == 0 -> fork[LEFT] = _pid + 1 }
	      :: atomic { fork[LEFT] != 0 -> fork[RIGHT] = 0; hungrier() }; goto again
	      fi
	   fi;
	   assert(fork[LEFT] == _pid + 1 && fork[RIGHT] == _pid + 1);
	   hunger[_pid] = 0;
	   fork[LEFT] = 0;
	   fork[RIGHT] = 0;
again:	   skip
	od
}
