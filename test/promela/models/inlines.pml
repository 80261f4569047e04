byte x, y;
inline swap(a, b) { byte tmp; tmp = a; a = b; b = tmp }
inline step(v, n) { if :: v < n -> v = v + 1 :: else -> goto out fi; swap(v, y); out: skip }
inline twice(v) { step(v, 3); step(v, 4) }
active [2] proctype P() { byte k; twice(x); twice(k); select (k : 1 .. 3); x = k }
