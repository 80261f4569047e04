/* The reader looks at two fields that belong together, and takes the lock for each of them separately.
 * expect: assertion, 1 preemption */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct { int first, second; } pair;

static int read_field(const int *field)
{
    pthread_rwlock_rdlock(&lock);
    int value = *field;
    pthread_rwlock_unlock(&lock);
    return value;
}

static void *reader(void *arg)
{
    int first = read_field(&pair.first), second = read_field(&pair.second);
    assert(first == second);
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
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
}
