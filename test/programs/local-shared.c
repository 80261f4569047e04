/* Members of a local variable that another thread has the address of: accesses by their function are seen as well.
expect: ERROR race: (read|write) of
flags: -O0
*/
#include <pthread.h>
struct s { int a, b[4]; };
static void *f(void *p) { return ((struct s *)p)->b[2]++, p; }
int main(void)
{
    pthread_t t;
    struct s s = {0};
    pthread_create(&t, 0, f, &s);
    s.b[2]++;
    pthread_join(t, 0);
    return s.b[2] > 9;
}
