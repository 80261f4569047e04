/* expect: name one of its fields */
typedef T { byte a }
T t;
init { printf("%d", t) }
