byte x;
active [2] proctype P() { byte a = 1; x = a; byte b = x; { byte c = 3; int d; x = c + b; short aa = 7; x = aa; byte v[2]; v[1] = x }; if :: byte e = 4; x = e :: x == 3 -> byte f; x = f fi; x = a }
