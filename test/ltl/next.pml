/* X sees single steps, so nothing may be merged or reduced. */
byte n;
active proctype p() { byte i; i = 1; n = 1; i = 2; n = 2 }
ltl step { X (n == 0) && X X (n == 1) }
ltl wrong_step { X (n == 1) }
ltl harmless { <> (n == 1 && X (n != 1)) }
