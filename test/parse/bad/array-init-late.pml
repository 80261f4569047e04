/* expect: start of its proctype */
init {
	skip;
	int a[2] = { 1, 2 };
	a[0] = 1
}
