chan public = [2] of { chan };
proctype giver(byte n) { chan mine[2] = [1] of { byte, byte }; public!mine[1]; mine[1]!n,n; mine[0]!1,2; mine[0]?1,_; (n == 9) }
active proctype taker() { chan c; byte a, b; public?c; c?a,b; public?c; if :: c?b,_ -> skip :: timeout -> skip fi }
init { run giver(4); run giver(5) }
