/* Starts THREADS threads that run act(number), and waits for them. */
#include <pthread.h>
#include <stdatomic.h>

static void act(int number);

static void *start(void *number)
{
    act((int)(long)number);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, start, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    return 0;
}
