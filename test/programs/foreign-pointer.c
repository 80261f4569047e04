/* A function that was built without heddle is called by a pointer, so that not all of its calls are known.
 * plain: helper.c
 * expect: BOUNDED no error in any schedule, not observed: square\(\) in helper.o, built without heddle cc$
 * whole: VERIFIED no error in any schedule$
 */
#include <pthread.h>
int square(int n);
static int (*volatile pointer)(int) = square;

static void *work(void *a) { return pointer(2) == 4 ? a : NULL; }

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    return pthread_join(t, NULL) || square(3) != 9;
}
