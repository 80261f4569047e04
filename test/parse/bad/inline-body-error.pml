/* expect: in inline 'f' called at */
int x;
inline f(a) {
	a = y
}
init { f(x) }
