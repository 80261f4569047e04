/* expect: expected */
init { typedef T { byte a }; skip }
