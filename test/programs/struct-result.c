/* gcc does not instrument the store of a structure that is returned: a race is not found, and the verdict says so.
compiler: gcc
expect: BOUNDED no error in any schedule, as far as it is under control
warns: struct-result.c:13: warning: a structure that a function returns is stored where the compiler does not instrument
*/
#include <pthread.h>
static struct point { int x, y; } point;
static int number;
__attribute__((noinline)) static struct point make(int x) { return (struct point){x, 2}; }
__attribute__((noinline)) static int count(void) { return 3; }
static void *f(void *a)
{
    point = make(1);
    return a;
}
int main(void)
{
    pthread_t t;
    number = count();
    pthread_create(&t, 0, f, 0);
    point.y++;
    pthread_join(t, 0);
}
