/* expect: run */
chan q = [1] of { byte };
proctype A() { skip }
init { q!run A() }
