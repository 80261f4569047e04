/* expect: expected a statement */
init { if :: fi }
