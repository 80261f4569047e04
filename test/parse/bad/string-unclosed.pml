/* expect: string is not closed */
init { printf("hello) }
