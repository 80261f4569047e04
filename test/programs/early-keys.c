/* Values of keys that constructors set are the first thread's, in every execution.
expect: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_key_t key;
static atomic_int n;
__attribute__((constructor)) static void early(void)
{
    pthread_key_create(&key, 0);
    assert(!pthread_setspecific(key, &key) && pthread_getspecific(key) == &key);
}
static void *f(void *a)
{
    assert(!pthread_getspecific(key));
    n++;
    return a;
}
int main(void)
{
    pthread_t t;
    assert(pthread_getspecific(key) == &key);
    pthread_setspecific(key, &t);
    pthread_create(&t, 0, f, 0);
    f((n++, pthread_setspecific(key, 0), &t));
    pthread_join(t, 0);
}
