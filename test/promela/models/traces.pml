mtype = { a, b }; chan c = [2] of { mtype, byte }; chan d = [1] of { byte }; byte x;
trace { do :: c!a,1 ; c?a,1 :: c!b,2 ; c?b,2 od }
active proctype P() { c!a,1; d!1; c?a,1; if :: c!b,2; c?b,2 :: c!a,1; c?a,_ fi }
active proctype Q() { byte v; d?v; x = v }
