/* An execution that ends goes on in its last state for ever, unless stuttering is off. */
byte n;
active proctype p() { n = 1; n = 2 }
ltl reaches { <> (n == 2) }
ltl stays { <> [] (n == 2) }
ltl returns { []<> (n == 1) }
ltl small { [] (n < 2) }
