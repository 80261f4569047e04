/* expect: calls itself */
inline f() { skip }
inline g() { h() }
inline h() { g() }
init { f(); g() }
