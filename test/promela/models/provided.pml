byte turn, x;
active proctype A() provided (turn == 0) { x = 1; x = 2; turn = 1; atomic { x = 3; turn = 1; x = 4 }; x = 5 }
active proctype B() provided (turn == 1 || x == 4) { x = 11; turn = 0; x = 12; turn = 0 }
