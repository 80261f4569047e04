byte x;
proctype W() { byte k; k = 1; here: k = 2; there: goto here2; here2: k = 3 }
init { pid p; p = run W(); (W[p]@here); x = 1; if :: W[p]@there -> x = 2 :: W:k == 3 -> x = 3 fi; (pc_value(p) > 2); x = W[p]:k }
