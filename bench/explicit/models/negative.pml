/* A sliding window with negative acknowledgements over channels that lose and garble messages: S numbers, W of them
 * on their way. */
#ifndef W
#define W 1
#endif
#define S (2 * W)
#ifndef K
#define K 2
#endif
mtype = { data, ack, nak, noise };
chan there = [K] of { mtype, byte, bit };
chan here = [K] of { mtype, byte };

active proctype sender()
{
	byte oldest, number, next;
	bit text[S], fresh;
	do
	:: (next + S - oldest) % S < W ->
		text[next] = fresh;
		fresh = !fresh;
		there!data, next, text[next];
		next = (next + 1) % S
	:: here?ack, number ->
		if
		:: (number + S - oldest) % S < (next + S - oldest) % S -> oldest = (number + 1) % S
		:: else
		fi;
		number = 0
	:: here?nak, number ->
		if
		:: (number + S - oldest) % S < (next + S - oldest) % S -> there!data, number, text[number]
		:: else
		fi;
		number = 0
	:: here?noise, number -> number = 0
	:: (next != oldest && len(here) == 0 && len(there) == 0) -> there!data, oldest, text[oldest]
	od
}

active proctype receiver()
{
	byte expected, number, i;
	bit text, kept[S], has[S], asked, want;
	do
	:: there?data, number, text ->
		if
		:: (number + S - expected) % S < W ->
			atomic { has[number] = 1; kept[number] = text };
			if
			:: number != expected && !asked -> asked = 1; here!nak, expected
			:: else
			fi;
			do
			:: atomic { has[expected] -> has[expected] = 0; assert(kept[expected] == want); kept[expected] = 0; want = !want;
				expected = (expected + 1) % S; asked = 0 }
			:: !has[expected] -> break
			od;
			here!ack, (expected + S - 1) % S
		:: else -> here!ack, (expected + S - 1) % S
		fi;
		number = 0;
		text = 0
	:: there?noise, number, text ->
		if
		:: !asked -> asked = 1; here!nak, expected
		:: asked
		fi
	od
}

active proctype wire()
{
	byte number;
	bit text;
	do
	:: atomic { there?data, number, text; number = 0; text = 0 }
	:: atomic { there?data, number, text; number = 0; text = 0; there!noise, 0, 0 }
	:: atomic { here?_, number; number = 0 }
	od
}
