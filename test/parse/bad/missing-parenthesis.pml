/* expect: expected ')' */
int x;
init { (x == 1; skip }
