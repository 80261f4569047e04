/* expect: into a d_step */
init {
	goto L;
	d_step { skip; L: skip }
}
