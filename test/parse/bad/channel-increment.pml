/* expect: channel */
chan q = [1] of { byte };
init { q++ }
