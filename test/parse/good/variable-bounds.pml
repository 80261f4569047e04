byte N = 3; byte M; int a[N]; int b[M];
active [N] proctype A() { a[2] = b[7] }
