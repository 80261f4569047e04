#define p (x == 1)
#define q (x == 2)
int x; chan c = [1] of { byte };
active proctype A() { L: x = 1; x = 2 }
ltl { [] p }
ltl named { <> p -> [] (q U !p) }
ltl words { always (p implies eventually q) }
ltl more { (p until q) && (p weakuntil q) }
ltl yet_more { (p release q) equivalent p }
ltl letters { p U q V p W q }
ltl remote { [] (A@L -> <> (x > 3)) }
ltl semicolon { [] (x < 3 && len(c) == 0); }
ltl later { [] (y == 0) }
int y;
