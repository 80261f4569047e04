int i, sum; byte a[4]; typedef T { byte v }; chan q = [3] of { T }; T t;
init {
	for (i : 0 .. 3) { a[i] = i };
	for (i in a) { sum = sum + a[i] };
	t.v = 1; q!t; q!t;
	for (t in q) { sum = sum + t.v };
L:	for (i : sum - 1 .. sum + 1) { if :: i == 3 -> break :: else -> skip fi };
	if :: sum == 0 -> goto L :: else fi
}
