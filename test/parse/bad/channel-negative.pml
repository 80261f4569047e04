/* expect: from 0 to 255 */
chan q = [0 - 1] of { byte };
init { q!1 }
