/* Setting up before others exist, by another thread that is waited for, or again after destroying is right; so is
destroying after others were seen to be through, and a new one in the same frame.
expect: VERIFIED no error in any schedule
*/
#include <pthread.h>
#include <stdlib.h>
struct box { pthread_mutex_t m; int n; };
static pthread_mutex_t first, second;
static void *make(void *a) { return pthread_mutex_init(&second, 0), a; }
static void *leave(void *a)
{
    struct box *b = a;
    pthread_mutex_lock(&b->m);
    int last = !--b->n;
    pthread_mutex_unlock(&b->m);
    if (last) {
        pthread_mutex_destroy(&b->m);
        free(b);
    }
    return 0;
}
static void local(void)
{
    pthread_mutex_t m;
    pthread_mutex_init(&m, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
int main(void)
{
    pthread_t t;
    pthread_mutex_init(&first, 0);
    pthread_create(&t, 0, make, 0);
    pthread_join(t, 0);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_destroy(&first);
    pthread_mutex_init(&first, 0);
    local();
    local();
    struct box *b = calloc(1, sizeof *b);
    b->n = 2;
    pthread_mutex_init(&b->m, 0);
    pthread_create(&t, 0, leave, b);
    leave(b);
    pthread_join(t, 0);
}
