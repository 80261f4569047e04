bit a; bool b = true; byte c = 255; short d = -3; int e = 1 + 2 * 3; pid f; unsigned g : 5 = 7; mtype = { red, green, blue };
mtype h = green; chan i; byte j[3]; int k[2] = { 4, 5 }; int l[2 + 1] = 7; hidden byte m; show int n; local byte o;
init { a = 1; b = false; c++; d--; e = c + d; f = _pid; g = 3; h = red; j[1] = 2; k[0] = l[2]; m = 1; n = 2; o = 3 }
