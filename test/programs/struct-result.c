/* gcc does not instrument the store of a structure that is returned; it is observed all the same.
 * expect: ERROR race: .*struct-result.c:11
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
