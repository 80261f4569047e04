/* expect: more than 1024 fields in one message */
typedef F { byte x[1025] };
chan q = [1] of { F };
init { skip }
