/* expect: before a declaration */
init {
L:	int x;
	x = 1
}
