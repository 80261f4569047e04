/* expect: has no field 'c' */
typedef T { byte a; byte b }
T t;
init { t.c = 1 }
