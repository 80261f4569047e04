/* expect: start of */
init {
	skip unless { L: skip };
	goto L
}
