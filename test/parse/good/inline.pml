int x, y; byte arr[3]; mtype = { go, stop }; chan q = [2] of { mtype, byte };
typedef T { int f }; T t;
inline swap(a, b) { int tmp; tmp = a; a = b; b = tmp }
inline send(c, what, n) { c!what(n) }
inline twice(a, b) { swap(a, b); swap(b, a) }
inline jump(v) { if :: v == 1 -> goto out :: else -> skip fi; v = 2; out: skip }
inline add(a, b) { return a + b }
inline field(v) { v.f = v.f + 1 }
inline nothing() { skip }
init {
	swap(x, y);
	swap(arr[0], arr[x + 1]);
	twice(x, y);
	send(q, x, 3);
	send(q, y, (x > 1 -> 2 : 3));
	jump(x); jump(y);
	x = add(y, 3);
	field(t);
	nothing();
	{ swap(y, x) } unless { swap(x, y) }
}
