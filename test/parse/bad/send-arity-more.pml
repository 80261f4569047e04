/* expect: 2 arguments for a message */
chan q = [1] of { byte };
init { q!1,2 }
