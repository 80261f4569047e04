/* expect: start of */
init {
	atomic { L: skip; goto L }
}
