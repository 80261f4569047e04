/* expect: '}' at the end of the inline */
inline f(a) { if :: a = 1 fi
init { skip }
