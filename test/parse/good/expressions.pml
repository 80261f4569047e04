int x, y, z; bool b; byte a[3]; chan q = [1] of { byte };
init {
	x = 1 + 2 * 3 - 4 / 2 % 3; x = (1 + 2) * -3; x = ~x & y | z ^ 1; x = 1 << 2 >> 1;
	b = x < y == z > 1 && x <= y || !b; b = !(x == y) != (z >= 2);
	x = a[a[a[0]]] + a[x % 3]; y = (b -> x : (b || x > 2 -> y : z));
	x = -x; x = - - x; x = len(q) + _pid + _nr_pr; x = 'a' + '\n' + '\\'; b = true; b = false; b = timeout;
	x = q?[1]; x = q??[2] + 1; _ = x; (x); skip; true; 1 -> 2
}
