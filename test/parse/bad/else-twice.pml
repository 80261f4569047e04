/* expect: else */
init { if :: else -> skip :: else -> skip fi }
