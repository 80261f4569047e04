/* Loops over several places of plain memory are over when any of them changes.
flags: -O0
expect with --races=explore: VERIFIED no error
expect with --races=explore --explore=optimal: VERIFIED no error
expect with --races=explore --explore=dfs: VERIFIED no error
expect with --points=all --races=ignore: VERIFIED no error
*/
#include <pthread.h>
static int a, b, c;
static void *two(void *p)
{
    while (!a && !b) {}
    return p;
}
static void *three(void *p)
{
    for (;;) {
        if (a) break;
        if (b) break;
        if (c) break;
    }
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, two, 0);
    pthread_create(&u, 0, three, 0);
    b = 1;
    pthread_join(t, 0);
    pthread_join(u, 0);
}
