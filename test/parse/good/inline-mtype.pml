/* Spin forgets the names of the constants in its texts. */
mtype = { go, stop }; chan q = [2] of { mtype, byte };
inline send(c, what, n) { c!what(n) }
init { send(q, go, 3); send(q, stop, 2) }
