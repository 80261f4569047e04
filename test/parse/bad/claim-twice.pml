/* expect: defined twice */
int x;
ltl p { [] (x == 0) }
ltl p { <> (x == 0) }
init { x = 1 }
