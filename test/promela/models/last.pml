byte x;
active [2] proctype P() { x++; if :: _last == 0 -> x = 5 :: _last == 1 -> x = 6 fi; x = 0 }
