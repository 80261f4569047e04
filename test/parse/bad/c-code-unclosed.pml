/* expect: is not closed */
init { c_code { int x = 1; 
