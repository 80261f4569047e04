/* Sixteen members vote in rounds through mailboxes of one place. One that is ahead takes a vote of the next round. */
#ifndef N
#define N 16
#endif
chan box[N] = [1] of { byte };
byte round[N], votes[N];
proctype member(byte me)
{
    byte vote;
    do
    :: round[me] < 8 ->
       box[(me + 1) % N]!round[me];
       box[me]?vote;
       if :: vote != round[me] -> votes[me]++ :: else -> skip fi;
       (votes[me] < 3);
       round[me]++
    :: else -> break
    od
}
active proctype joker() { byte k; do :: k < 7 -> box[5]!9; k++ :: k < 7 -> k++ :: else -> break od }
init { byte i; atomic { for (i : 0 .. N - 1) { run member(i) } } }
