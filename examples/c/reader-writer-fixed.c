/* Both fields under one lock; two readers at a time.
 * expect: verified */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct { int first, second; } pair;

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    assert(pair.first == pair.second);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    pair.first++;
    pair.second++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t r, s, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&s, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(s, NULL);
    pthread_join(w, NULL);
}
