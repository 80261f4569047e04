/* Functions of an object that was built without heddle, which share nothing: their calls are audited. One of them calls
 * the other; arguments lie on the stack.
 * plain: helper.c
 * expect with --audit: VERIFIED no error in any schedule$
 * expect with --audit=off: BOUNDED no error in any schedule, not observed: .* in helper.o, built without heddle cc$
 * whole: VERIFIED no error in any schedule$
 */
#include <pthread.h>
int square_of_sum(int a, int b);
struct wide { long at[6]; };
long last_of(int a, int b, int c, int d, int e, int f, int g, struct wide w);
static int results[2];
static long last;

static void *work(void *a)
{
    struct wide w = {{1, 2, 3, 4, 5, 6}};
    int *result = a;
    *result = square_of_sum(*result, 1);
    if (result == results) last = last_of(1, 2, 3, 4, 5, 6, 7, w);
    return a;
}

int main(void)
{
    pthread_t t;
    results[0] = square_of_sum(0, 0);
    results[1] = 2;
    pthread_create(&t, NULL, work, &results[1]);
    work(&results[0]);
    return pthread_join(t, NULL) || results[0] != 5 || results[1] != 10 || last != 34;
}
