/* Merging must not hide that a process has left a label that somebody looks at. */
byte g, h; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype p0() { byte x = 0; x = (x + 1) % 3; g = g; if :: h == x -> skip :: else -> r ? g fi; here: skip }
active proctype p1() { byte x = 0; h = x; if :: x != 2 -> c ! 1 :: else -> x = h fi; if :: h != 1 -> g = 2 :: g == 2 -> r ! 1 fi; do :: x = 1; here: skip od }
ltl f { (<> (<>[] ((len(c) == 0) U (p1@here)))) }
