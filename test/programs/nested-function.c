/* gcc puts code on the stack for a nested function whose address is taken, and asks for an executable stack.
compiler: gcc
flags: -O0
expect with -- thread: VERIFIED no error .*: none is audited, because the program's stacks are executable.$
expect with -- library: VERIFIED no error .*: none is audited, because the program's stacks are executable.$
expect with --audit=off -- library: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *sorts(void *p)
{
    int factor = 1, v[4] = {4, 2, 3, 1};
    int compare(const void *x, const void *y) { return factor * (*(const int *)x - *(const int *)y); }
    qsort(v, 4, sizeof v[0], compare);
    assert(v[0] == 1 && v[3] == 4);
    return p;
}

static void in_thread(void)
{
    int x = 0;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    void *adds(void *p)
    {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
        return p;
    }
    pthread_t t;
    pthread_create(&t, 0, adds, 0);
    adds(0);
    pthread_join(t, 0);
    assert(x == 2);
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1 && !strcmp(argv[1], "thread")) return in_thread(), 0;
    pthread_create(&t, 0, sorts, 0);
    sorts(0);
    pthread_join(t, 0);
    return 0;
}
