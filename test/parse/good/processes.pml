byte n;
proctype A(byte x; bool y) priority 3 provided (n < 3) { n = n + x; if :: y -> skip :: else fi }
D_proctype D() { do :: n > 1 -> break :: n <= 1 -> n++ od }
active [2] proctype B() { n = _pid; n = _nr_pr }
active proctype C() provided (_pid > 0) { pid p; p = run A(1, true); run A(2, false) priority 5; (run D()) }
init priority 2 { skip }
