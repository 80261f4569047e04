/* expect: declared twice */
typedef T { byte a; int a }
T t;
init { t.a = 1 }
