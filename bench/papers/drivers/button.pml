// button.bp in Promela, for Spin: a line with LOCK is left out of the broken one.
bit pressed, armed, locked, reporting;

inline acquire() { atomic { !locked -> locked = 1 } }

inline interrupt() {
  acquire(); // LOCK
  pressed = 1;
  assert(!reporting);
  armed = 1;
  locked = 0; // LOCK
}

inline timer() {
  armed;
  acquire();
  reporting = 1;
  pressed = 0;
  armed = 0;
  reporting = 0;
  locked = 0;
}

active proctype thread_interrupt() { interrupt(); interrupt() }
active proctype thread_timer() { timer(); timer() }
