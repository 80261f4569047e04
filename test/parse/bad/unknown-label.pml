/* expect: undefined label 'done' */
init {
	goto done
}
