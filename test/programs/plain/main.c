/* main() itself is built without heddle. */
#include <pthread.h>
extern int counter;
void *work(void *a);

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    counter++;
    return pthread_join(t, 0);
}
