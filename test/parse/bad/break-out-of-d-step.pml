/* expect: leaves the d_step */
init {
	do :: d_step { skip; break } od
}
