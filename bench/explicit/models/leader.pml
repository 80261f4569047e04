/* Election of a leader in a ring with channels from one to the next (Dolev, Klawe and Rodeh): the largest value seen
 * by an active process wins. */
#ifndef N
#define N 7
#endif
#define L 2
mtype = { one, two, winner };
chan q[N] = [L] of { mtype, byte };
byte leaders;

proctype node(chan in, out; byte mynumber)
{
	bit active_ = 1, know_winner;
	byte number, maximum = mynumber, neighbour;
	out!one(mynumber);
end:	do
	:: in?one(number) ->
		if
		:: active_ ->
			if
			:: number != maximum -> out!two(number); neighbour = number
			:: else -> know_winner = 1; out!winner(number)
			fi
		:: else -> out!one(number)
		fi
	:: in?two(number) ->
		if
		:: active_ ->
			if
			:: neighbour > number && neighbour > maximum -> maximum = neighbour; out!one(neighbour)
			:: else -> active_ = 0
			fi
		:: else -> out!two(number)
		fi
	:: in?winner(number) ->
		if
		:: number != mynumber
		:: else -> leaders++; assert(leaders == 1)
		fi;
		if
		:: know_winner
		:: else -> out!winner(number)
		fi;
		break
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run node(q[i], q[(i + 1) % N], (i + N / 2) % N + 1); i++
		:: else -> break
		od
	}
}
