/* expect: inside of d_step */
proctype A() { skip }
init { d_step { run A(); skip } }
