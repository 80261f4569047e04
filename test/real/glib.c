/* GLib: an asynchronous queue, threads, a mutex and a condition. The library is Debian's own.
needs: glib.h
package: glib-2.0
expect: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <glib.h>
static GMutex lock;
static GCond cond;
static int ready, handed;
static gpointer worker(gpointer queue)
{
    handed = 7;
    g_async_queue_push(queue, GINT_TO_POINTER(7));
#ifndef BUG
    g_mutex_lock(&lock);
#endif
    ready = 1;
#ifndef BUG
    g_mutex_unlock(&lock);
#endif
    g_cond_signal(&cond);
    return NULL;
}
int main(void)
{
    GAsyncQueue *queue = g_async_queue_new();
    GThread *t = g_thread_new("worker", worker, queue);
    assert(GPOINTER_TO_INT(g_async_queue_pop(queue)) == 7 && handed == 7);
    g_mutex_lock(&lock);
    while (!ready) g_cond_wait(&cond, &lock);
    g_mutex_unlock(&lock);
    g_thread_join(t);
    g_async_queue_unref(queue);
}
