/* expect: it must be from 1 */
int a[2 - 3];
init { skip }
