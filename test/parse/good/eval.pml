mtype = { m }; chan q = [1] of { mtype, byte }; byte x;
init { q!m,1; q?eval(m),eval(x + 1); q?[m,eval(x)] }
