byte l, n;
proctype U(byte me) { do :: atomic { l == 0 -> l = me } ; n++; assert(n == 1); n--; l = 0 :: atomic { else -> skip }; break od }
init { atomic { run U(1); run U(2) } }
