/* expect: declared twice */
proctype A() { skip }
proctype A() { skip }
init { run A() }
