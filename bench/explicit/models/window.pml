/* A sliding window of W frames over channels that lose messages; M values of data, numbers modulo K. */
#ifndef W
#define W 3
#endif
#ifndef K
#define K 7
#endif
#ifndef M
#define M 2
#endif
#define C 3
chan data = [C] of { byte, byte };
chan acks = [C] of { byte };
byte sent, arrived;             /* the values, modulo M: they must come in order */

active proctype sender()
{
	byte buffer[K], low, high, a;
	do
	:: (high + K - low) % K < W ->
		atomic { buffer[high] = sent; sent = (sent + 1) % M; high = (high + 1) % K }
	:: low != high && nfull(data) ->
		/* any frame of the window is sent, again perhaps */
		a = low;
		do
		:: (a + 1) % K != high -> a = (a + 1) % K
		:: break
		od;
		data!a, buffer[a]
	:: acks?a ->
		do
		:: low != a && (a + K - low) % K <= (high + K - low) % K -> buffer[low] = 0; low = (low + 1) % K
		:: else -> break
		od
	od
}

active proctype receiver()
{
	byte store[K], expected, n, v;
	bit has[K];
	do
	:: data?n, v ->
		if
		:: (n + K - expected) % K < W -> has[n] = 1; store[n] = v
		:: else
		fi;
		do
		:: has[expected] ->
			assert(store[expected] == arrived);
			arrived = (arrived + 1) % M;
			has[expected] = 0;
			store[expected] = 0;
			expected = (expected + 1) % K
		:: else -> break
		od
	:: nfull(acks) -> acks!expected
	od
}

active proctype loss()
{
	byte n, v;
	do
	:: data?n, v
	:: acks?n
	od
}
