/* expect: character constant */
int x;
init { x = 'ab' }
