/* expect: start of */
init {
	{ L: skip; goto L }
}
