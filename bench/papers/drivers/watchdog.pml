// watchdog.bp in Promela, for Spin: a line with LOCK is left out of the broken one.
bit running = 1, announced, stopped, locked, expired;

inline acquire() { atomic { !locked -> locked = 1 } }

inline keep_alive() {
  acquire(); // LOCK
  go = running;
  if :: go -> assert(!stopped); expired = 0 :: else fi;
  locked = 0; // LOCK
}

inline shut() {
  announced = 1;
  acquire();
  if :: announced -> running = 0; stopped = 1 :: else fi;
  locked = 0;
}

active proctype thread_timer() { bit go; keep_alive(); keep_alive() }
active proctype thread_close() { expired = 1; shut() }
