/* expect: must be from 1 to 31 */
unsigned x : 32;
init { x = 1 }
