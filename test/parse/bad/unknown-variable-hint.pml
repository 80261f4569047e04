/* expect: did you mean 'counter'? */
int counter;
init {
	countr = 1
}
