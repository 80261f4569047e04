mtype = { x1, x2 }; mtype:fruit = { apple, pear }; mtype:fruit f = pear; mtype g; chan c = [1] of { mtype:fruit, mtype };
active proctype P() { c!apple,x2; f = apple; g = x1; printf("%e\n", f); printm(g) }
active proctype Q() { c?f,g; if :: f == pear && g == x2 -> skip :: f == apple -> g = 0 fi }
