/* expect: outside of a loop */
init { break }
