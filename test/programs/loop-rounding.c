/* A loop that changes how numbers are rounded does not wait.
flags: -O2 -frounding-math
link: -lm
expect: ERROR crash: abort\(\) is called
*/
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int flag;

static void *work(void *arg)
{
    flag = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (!flag) {
        int now = fegetround();
        if (now == FE_TOWARDZERO) abort();
        fesetround(now == FE_TONEAREST ? FE_DOWNWARD : now == FE_DOWNWARD ? FE_UPWARD : FE_TOWARDZERO);
    }
    pthread_join(t, NULL);
    return 0;
}
