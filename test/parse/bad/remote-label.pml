/* expect: has no label 'L' */
active proctype A() { skip }
never { do :: A@L od }
