/* A thousand threads at once, each with what is its own; then two hundred one after the other. One schedule is enough.
   expect: VERIFIED no error in any schedule$
   expect with --explore=optimal: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <pthread.h>

enum { MANY = 1000 - 200, MORE = 200 };

static int own[MANY], common;
static __thread int local;

static void *work(void *at)
{
    *(int *)at += 1 + local++;
    return at;
}

int main(void)
{
    pthread_t t[MANY], one;
    for (int i = 0; i < MANY; i++) pthread_create(&t[i], NULL, work, &own[i]);
    for (int i = 0; i < MANY; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < MORE; i++) {
        pthread_create(&one, NULL, work, &common);
        pthread_join(one, NULL);
    }
    for (int i = 0; i < MANY; i++) assert(own[i] == 1);
    assert(common == MORE);
}
