#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void add(int k) { pthread_mutex_lock(&m); n += k; pthread_mutex_unlock(&m); }
static void twice(void) { add(1); add(2); }
static void *t(void *p) { twice(); return p; }
int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); add(0); pthread_join(a, 0); assert(n == 4); }
