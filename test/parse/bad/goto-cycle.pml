/* expect: goto */
init {
L:	goto M;
M:	goto L
}
