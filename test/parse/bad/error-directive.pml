/* expect: preprocessor */
#error stop here
init { skip }
