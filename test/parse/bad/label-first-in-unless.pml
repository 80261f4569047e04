/* expect: start of */
init {
	L: skip unless { skip };
	goto L
}
