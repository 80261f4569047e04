/* expect: inside of d_step */
int x;
init {
	d_step { x = 1; { x = 2 } unless { x = 3 } }
}
