/* expect: start of its proctype */
init {
	skip;
	chan q = [1] of { byte };
	q!1
}
