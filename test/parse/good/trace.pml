mtype = { a, b }; chan q = [2] of { mtype, byte }; chan r = [0] of { byte };
active proctype P() { byte x; q!a,1; q?a,x }
trace { do :: q!a,_; if :: q?a,1 :: q?b,_ -> break fi od; end: }
