/* Spin refuses X and next unless it was built for them. */
int x;
ltl a { X (x == 1) }
ltl b { always next (x == 1) }
init { x = 1 }
