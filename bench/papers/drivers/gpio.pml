// gpio.bp in Promela, for Spin: a line with LOCK is left out of the broken one.
bit in_use, locked, powered, busy[2];

inline acquire() { atomic { !locked -> locked = 1 } }

inline open_pin() {
  got = 0;
  acquire(); // LOCK
  if
  :: !in_use ->
     if :: powered = 0 :: powered = 1 fi;
     if :: powered -> in_use = 1; got = 1 :: else fi
  :: else
  fi;
  locked = 0; // LOCK
}

inline user(me) {
  open_pin();
  if
  :: got -> assert(!busy[1 - me]); busy[me] = 1; busy[me] = 0; in_use = 0
  :: else
  fi
}

active proctype thread_first() { bit got; user(0); user(0) }
active proctype thread_second() { bit got; user(1); user(1) }
