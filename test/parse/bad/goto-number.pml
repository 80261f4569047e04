/* expect: of a label after 'goto' */
init { goto 3 }
