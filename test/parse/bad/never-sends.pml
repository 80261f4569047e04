/* expect: never claim */
chan q = [1] of { byte };
init { q!1 }
never { do :: q!1 od }
