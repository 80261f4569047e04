/* expect: comment is not closed */
init { skip } /* end
