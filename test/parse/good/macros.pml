#define N 3
#define max(a, b) ((a) > (b) -> (a) : (b))
#define BEGIN {
#define END }
#ifdef UNSET
syntax error
#endif
int a[N]; // a comment
init BEGIN a[N - 1] = max(N, 2); /* another
 over two lines */ assert(a[2] == N) END
