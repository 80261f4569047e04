/* expect: one init */
init { skip }
init { skip }
