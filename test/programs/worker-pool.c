/* Two workers and three jobs: 68,288 graphs.
 * expect: VERIFIED no error in any schedule
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
enum { WORKERS = 2, JOBS = 3 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queue[JOBS], head, tail, done[JOBS];
static bool closed;
static void *worker(void *u)
{
    for (;;) {
        pthread_mutex_lock(&m);
        while (head == tail && !closed) pthread_cond_wait(&filled, &m);
        if (head == tail) {
            pthread_mutex_unlock(&m);
            return u;
        }
        int job = queue[head++];
        pthread_mutex_unlock(&m);
        done[job]++;
    }
}
int main(void)
{
    pthread_t w[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&w[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&m);
        queue[tail++] = i;
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&filled);
    }
    pthread_mutex_lock(&m);
    closed = true;
    pthread_mutex_unlock(&m);
    pthread_cond_broadcast(&filled);
    for (int i = 0; i < WORKERS; i++) pthread_join(w[i], NULL);
    for (int i = 0; i < JOBS; i++) assert(done[i] == 1);
}
