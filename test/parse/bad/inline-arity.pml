/* expect: has 2 parameters, not 1 */
int x;
inline f(a, b) { a = b }
init { f(x) }
