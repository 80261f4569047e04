/* expect: typedef */
typedef T { byte a }
typedef T { byte b }
T t;
init { t.a = 1 }
