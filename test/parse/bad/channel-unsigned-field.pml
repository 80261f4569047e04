/* expect: unsigned */
chan q = [1] of { unsigned };
init { q!1 }
