/* expect: run in a larger expression */
int x;
proctype A() { skip }
init { (run A() + x * 2 > 3) }
