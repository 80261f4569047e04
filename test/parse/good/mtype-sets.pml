mtype:fruit = { apple, pear }
mtype:car = { volvo, saab }; mtype = { none }; mtype = { some, more };
mtype:fruit f = pear; mtype:car c; mtype plain = none;
chan q = [1] of { mtype:fruit, mtype:car, mtype };
init { f = apple; c = saab; plain = more; q!apple,saab,none; q?f,c,plain; printm(plain); printm(none) }
