byte s = 3;
inline f(x) { x --> s-- }
active proctype A() {
	do
	:: s > 1 --> s--
	:: s-->0 -> break
	:: else --> break
	od;
	s = (s --> 1 : 2); f(s); s = 1 - -1
	s--
	if :: s == 1 --> skip :: else --> assert(false) fi }
