typedef Pair { byte a; byte b }; typedef Box { Pair p; byte more[2] };
chan q = [1] of { Pair, byte }; chan r = [1] of { Box }; Pair p, o; Box b;
proctype P(Pair x; byte n) { n = x.a + x.b }
init { run P(p, 3); q!p,1; q?o,b.p.a; q!p(2); q?o(_); r!b; r?b; q?[o,1]; q!b.p,3 }
