/* expect: 3 arguments for a message, but no channel has more than 2 fields */
chan q = [1] of { byte, byte };
init { if :: false -> q!1,2,3 :: true fi }
