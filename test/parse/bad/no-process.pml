/* expect: nothing to run */
proctype A() { skip }
