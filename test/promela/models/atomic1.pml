/* rendezvous inside atomic: the right to go on alone passes to the receiver */
chan r = [0] of { byte }; chan q = [1] of { byte }; byte x;
active proctype A() { atomic { x = 1; r!1; x = 2; r!2; x = 3 }; x = 4 }
active proctype B() { byte v; atomic { r?v; x = 10 + v; q?v; x = 20 }; r?v }
active proctype C() { atomic { q!7; x = 30; q!8; x = 31 } }
