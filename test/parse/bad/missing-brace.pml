/* expect: end of the file */
init { skip
