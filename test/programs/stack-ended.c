/* A local variable of a thread that has ended is written through a pointer.
expect: ERROR memory: write of 4 bytes on the stack of a thread that has ended at .*stack-ended.c:19
*/
#include <pthread.h>
#include <stdatomic.h>
static int *_Atomic where;
static void *owner(void *a)
{
    int local = 0;
    where = &local;
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, owner, 0);
    pthread_join(t, 0);
    int *p = where;
    *p = 1;
}
