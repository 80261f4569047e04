/* expect: division by zero */
int a[4 / 0];
init { skip }
