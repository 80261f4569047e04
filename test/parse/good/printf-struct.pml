typedef T { byte a; byte b }; T t;
init { printf("%d %d\n", t.a, t.b) }
