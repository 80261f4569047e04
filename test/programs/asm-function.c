/* Functions in assembly are named if they are entered.
 * expect with --audit=off: BOUNDED no error in any schedule, not observed: update\(\), written in assembly$
 * expect with -- never: VERIFIED no error in any schedule$
 */
#include <pthread.h>
int counter;
void update(void);

__asm__(".text\n.globl update\n.type update, @function\nupdate: incl counter(%rip)\n ret\n.size update, .-update");

static void *work(void *a)
{
    if (!a) update();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, argc > 1 ? argv : NULL);
    return pthread_join(t, NULL);
}
