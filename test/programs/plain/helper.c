/* Functions that are built without heddle and are called by programs that are not. */
#include <stdlib.h>
int square(int n);
int square_of_sum(int a, int b);
void add(int *to, int n);
int sum(const int *from, int count);
struct wide { long at[6]; };
long last_of(int a, int b, int c, int d, int e, int f, int g, struct wide w);

__attribute__((noinline)) int square(int n) { return n * n; }
int square_of_sum(int a, int b) { return square(a + b) + 1; }
void add(int *to, int n) { *to += n; }

int sum(const int *from, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++) all += from[i];
    return all;
}

long last_of(int a, int b, int c, int d, int e, int f, int g, struct wide w)
{
    return a + b + c + d + e + f + g + w.at[5];
}
