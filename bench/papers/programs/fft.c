/* A Fourier transform of THREADS values modulo 17, a butterfly per thread and round; a lock guards the counter with which the rounds are
 * separated. In the place of FFT of Coons, Musuvathi and McKinley, which is not printed and has eight threads. */
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
enum { MODULUS = 17, ROOT = THREADS == 2 ? 16 : THREADS == 4 ? 4 : 2 }; /* of order THREADS */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int value[THREADS], arrived, rounds;

static void next_round(void)
{
    pthread_mutex_lock(&lock);
    int round = rounds;
    if (++arrived == THREADS) {
        arrived = 0;
        rounds++;
        pthread_cond_broadcast(&all_here);
    }
    while (round == rounds) pthread_cond_wait(&all_here, &lock);
    pthread_mutex_unlock(&lock);
}

static int power(int base, int n)
{
    int r = 1;
    while (n-- > 0) r = r * base % MODULUS;
    return r;
}

/* One output per thread, by its definition: the sum of value[k] * ROOT^(k * me). */
static void *transform(void *arg)
{
    int me = (int)(long)arg, sum = 0;
    for (int k = 0; k < THREADS; k++) sum = (sum + value[k] * power(ROOT, k * me)) % MODULUS;
    next_round();
    value[me] = sum;
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    value[0] = 1;
    for (long i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, transform, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++) assert(value[i] == 1); /* of an impulse */
    return 0;
}
