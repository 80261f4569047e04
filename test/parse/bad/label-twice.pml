/* expect: defined twice */
init {
L:	skip;
L:	skip
}
