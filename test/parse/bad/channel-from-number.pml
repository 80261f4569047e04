/* expect: channel */
chan q;
init { q = 3 }
