/* Two accounts, two locks, taken in the order in which the money flows.
 * expect: deadlock, 1 preemption */
#include <pthread.h>

struct account { pthread_mutex_t lock; int balance; };
static struct account x = {PTHREAD_MUTEX_INITIALIZER, 100}, y = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *forth(void *arg)
{
    transfer(&x, &y, 10);
    return arg;
}

static void *back(void *arg)
{
    transfer(&y, &x, 20);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, forth, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
