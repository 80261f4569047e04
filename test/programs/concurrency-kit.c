/* Concurrency Kit without its assembly.
needs: ck_ring.h
flags: -O1 -DCK_USE_CC_BUILTINS=1
expect with --volatile=atomic: VERIFIED no error in any schedule \(interleavings only
expect: ERROR race
doctor: no call outside control
*/
#include <assert.h>
#include <ck_ring.h>
#include <ck_spinlock.h>
#include <pthread.h>
static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static ck_spinlock_t lock = CK_SPINLOCK_INITIALIZER;
static int value[2], ends;
static void count(void)
{
    ck_spinlock_lock(&lock);
    ends++;
    ck_spinlock_unlock(&lock);
}
static void *produce(void *a)
{
    for (int i = 0; i < 2; i++) {
        value[i] = i + 1;
        while (!ck_ring_enqueue_spsc(&ring, buffer, &value[i])) {}
    }
    count();
    return a;
}
static void *consume(void *a)
{
    for (int i = 0; i < 2; i++) {
        void *p;
        while (!ck_ring_dequeue_spsc(&ring, buffer, &p)) {}
        assert(*(int *)p == i + 1);
    }
    count();
    return a;
}
int main(void)
{
    pthread_t t, u;
    ck_ring_init(&ring, 4);
    pthread_create(&t, 0, produce, 0);
    pthread_create(&u, 0, consume, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(ends == 2);
}
