/* expect: undeclared variable 'count' */
init {
	count = 1
}
