/* expect: side effect */
init { c_expr { now.x++ } }
