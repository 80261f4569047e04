/* A monitor of a portable runtime: one thread waits for news, another one notifies it.
 * Bug: the notifier asks outside of the lock whether somebody waits, and does not notify if the answer is no.
 * Row: RADBench/bug4
 * Expect: deadlock */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int waiters, has_news;

static void *wait_for_news(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!has_news) {
        waiters++;
        pthread_cond_wait(&news, &lock);
        waiters--;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *notify(void *unused)
{
    int somebody_waits = waiters > 0;
    pthread_mutex_lock(&lock);
    has_news = 1;
    if (somebody_waits) pthread_cond_signal(&news);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    start(wait_for_news, NULL);
    start(notify, NULL);
    join_all();
}
