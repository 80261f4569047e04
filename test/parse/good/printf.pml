mtype = { red }; int x;
init { printf("plain\n"); printf("%d %c %e 100%% \"quoted\" back\\slash\n", x, 65, red); printf("a\tb"); printm(red) }
