/* expect: preprocessor */
#if 1
init { skip }
