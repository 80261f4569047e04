/* expect: it must be from 1 */
int a[0];
init { skip }
