byte x, turn;
active [2] proctype P() {
  do :: atomic { turn == _pid -> x++; if :: x > 3 -> x = 0 :: else fi; turn = 1 - turn }
     :: atomic { x == 2 -> if :: goto out :: x = 3 fi; turn = _pid }
  od;
out: x = 7; atomic { x = 8; L: x = 9; if :: x == 9 -> x = 1; goto L :: x = 2 fi }
}
