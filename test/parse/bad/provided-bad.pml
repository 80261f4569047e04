/* expect: provided */
int x;
active proctype A() provided (x = 1) { skip }
