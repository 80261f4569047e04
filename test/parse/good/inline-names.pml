/* Spin refuses the call of shadow: an argument has the name of a parameter. */
int a, b, c;
inline outer(a1, b1) { inner(b1, a1) }
inline inner(b1, a1) { b1 = a1 }
inline shadow(b, c2) { b = c2 }
init { outer(a, b); inner(a, b); shadow(c, b) }
