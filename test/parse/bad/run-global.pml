/* expect: 'run' outside of a proctype */
proctype A() { skip }
int x = run A();
init { x = 1 }
