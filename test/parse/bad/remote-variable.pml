/* expect: has no variable 'x' */
active proctype A() { skip }
never { do :: A:x == 1 od }
