/* expect: there is no proctype 'B' */
proctype A() { skip }
init { run B() }
