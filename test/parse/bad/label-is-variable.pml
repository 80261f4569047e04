/* expect: cannot be a label */
int L;
init {
L:	skip
}
