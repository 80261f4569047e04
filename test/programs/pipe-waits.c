/* Who waits at a pipe is shown by the call, and whom a write wakes.
expect: ERROR deadlock: no thread can go on
prints: write, wakes T1
prints: main waits for poll to return
prints: T1 waits for read to return
*/
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static int there[2], back[2];
static void *answer(void *a)
{
    char c;
    (void)!read(there[0], &c, 1);
    (void)!read(there[0], &c, 1);
    (void)!write(back[1], &c, 1);
    return a;
}
int main(void)
{
    pthread_t t;
    (void)!(pipe(there) || pipe(back));
    pthread_create(&t, 0, answer, 0);
    (void)!write(there[1], "a", 1);
    struct pollfd p = {back[0], POLLIN, 0};
    poll(&p, 1, -1);
    pthread_join(t, 0);
}
