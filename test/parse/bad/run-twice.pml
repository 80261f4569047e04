/* expect: run in a larger expression */
proctype A() { skip }
init { (run A() && run A()) }
