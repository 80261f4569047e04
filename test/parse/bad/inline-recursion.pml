/* expect: calls itself */
inline f() { f() }
init { f() }
