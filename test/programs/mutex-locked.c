/* expect: ERROR misuse: initialising a mutex that is locked
*/
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_init(&m, 0);
}
