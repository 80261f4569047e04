/* expect: expected */
typedef T { T t }
init { skip }
