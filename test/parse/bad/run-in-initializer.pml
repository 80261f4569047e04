/* expect: run */
proctype A() { skip }
init { int x = run A(); x = 1 }
