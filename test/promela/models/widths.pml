bit b; bool f; byte n = 250; short h = 32766; int i = 2147483646; unsigned u : 3; unsigned w : 11; pid p; mtype = { one, two, three }; mtype m = two;
active proctype A() { b = 2; b = 3; f = 4; n = n + 10; h = h + 5; i = i + 3; u = 13; w = 3000; p = 300; m = three; n--; u--; b--; u = u - 9 }
active proctype B() { n = -1; h = -40000; i = 1 << 31; i = i >> 4; i = ~i; i = i ^ 255; i = -i / 7; i = i % 5; i = (i > 0 -> i & 3 : i | 1) }
