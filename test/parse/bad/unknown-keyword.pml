/* expect: did you mean 'proctype'? */
protype A() { skip }
init { skip }
