/* expect: expected a statement */
init { }
