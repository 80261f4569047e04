int x;
init { { skip; L: x = 1 }; { skip; L: x = 2; goto L }; goto L; goto M; { skip; M: x = 3 } }
