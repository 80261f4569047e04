/* A sliding window of four messages with numbers modulo four: an old message can be taken for a new one. */
#define M 4
#define W 4
chan data = [4] of { byte, byte };
chan acks = [4] of { byte };

active proctype sender()
{
    byte base, next, ack, sent;
    do
    :: sent < W && len(data) < 4 -> data!next, next % 4; next = (next + 1) % 16; sent++
    :: len(data) < 4 && sent > 0 -> data!base, base % 4
    :: acks?ack -> if :: sent > 0 && ack == base % M -> base = (base + 1) % 16; sent-- :: else -> skip fi
    od
}

active proctype receiver()
{
    byte expected, value, number;
    do
    :: data?value, number ->
       if
       :: number == expected % M -> assert(value == expected); acks!number; expected = (expected + 1) % 16
       :: else -> acks!number
       fi
    :: data?value, number -> skip /* lost */
    od
}
