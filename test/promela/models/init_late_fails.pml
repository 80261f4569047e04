/* Control does not pass the declaration. */
active proctype p() { goto L; byte y = 5; L: assert(y == 5) }
active proctype q() { skip; { byte z = 1; z++ }; goto M; { byte z2 = 4; M: assert(z2 == 0) } }
