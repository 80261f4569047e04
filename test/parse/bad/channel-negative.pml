/* expect: from 0 to 65535 */
chan q = [0 - 1] of { byte };
init { q!1 }
