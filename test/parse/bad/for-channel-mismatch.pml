/* expect: for */
typedef T { byte a }
chan q = [2] of { byte };
T t;
init { for (t in q) { skip } }
