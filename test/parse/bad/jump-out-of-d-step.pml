/* expect: out of a d_step */
init {
	d_step { skip; goto L };
	skip;
L:	skip
}
