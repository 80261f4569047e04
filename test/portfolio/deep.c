/* The two threads have to take turns at the end. That takes more preemptions than rising bounds come to soon; a search
 * without a bound changes the order of late steps first. A file says that it has come to that. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
enum { NOISE = 10, TURNS = 4 };
static atomic_int noise, last, turns;

static void *play(void *me)
{
    int number = *(int *)me;
    for (int i = 0; i < NOISE; i++) atomic_fetch_add(&noise, 1);
    for (int i = 0; i < TURNS; i++)
        if (atomic_exchange(&last, number) != number) atomic_fetch_add(&turns, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, play, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (turns < 2 * TURNS) return 0;
    close(open("has-failed", O_CREAT | O_WRONLY, 0600));
    assert(!"they took turns");
}
