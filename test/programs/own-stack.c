/* A context of the program's own, on a stack of its own, that writes to its creator's variables and waits in a loop.
expect: BOUNDED no error in any schedule, (where a thread yields .*, )?as far as it is under control
*/
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <ucontext.h>
static ucontext_t first, second;
static int *where;
static atomic_int flag;
static char stack[1 << 16];
static void *set(void *a)
{
    flag = 1;
    return a;
}
static void write_there(void)
{
    pthread_t t;
    *where = 1;
    pthread_create(&t, 0, set, 0);
    while (!flag) sched_yield();
    pthread_join(t, 0);
    swapcontext(&second, &first);
}
int main(void)
{
    int local = 0;
    where = &local;
    getcontext(&second);
    second.uc_stack.ss_sp = stack;
    second.uc_stack.ss_size = sizeof stack;
    makecontext(&second, write_there, 0);
    swapcontext(&first, &second);
    assert(local == 1);
}
