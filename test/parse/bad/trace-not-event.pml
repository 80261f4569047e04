/* expect: trace */
chan q = [1] of { byte };
init { q!1 }
trace { do :: q!1; skip od }
