byte a[3] = { 3, 1, 2 }; byte sum; chan q = [3] of { byte }; typedef pt { byte v }; chan qq = [3] of { pt };
active proctype A() { byte i, n; pt z; for (i : 0 .. 2) { sum = sum + a[i]; if :: i == 1 -> skip :: else -> n++ fi } for (i in a) { a[i] = i } z.v = 4; qq!z; z.v = 5; qq!z; for (z in qq) { sum = sum + z.v } for (i : n .. 3) { if :: sum > 10 -> break :: else -> sum++ fi }; select (i : n .. 4); sum = i }
active proctype B() { (sum > 5); sum = 0 }
