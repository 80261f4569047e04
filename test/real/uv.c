/* libuv: a loop with a worker of its thread pool, and a handle that wakes the loop up. The library is Debian's own.
needs: uv.h
link: -luv
environment: UV_THREADPOOL_SIZE=1
expect with -b 1: BOUNDED no error with at most 1 preemption
*/
#include <assert.h>
#include <uv.h>
static uv_async_t wake;
static int worked, after, woken;
static void work(uv_work_t *w)
{
    worked++;
    uv_async_send(&wake);
}
static void done(uv_work_t *w, int status)
{
    assert(!status && worked == 1);
    after++;
}
static void on_wake(uv_async_t *handle)
{
    woken++;
    uv_close((uv_handle_t *)handle, 0);
}
int main(void)
{
    uv_work_t w;
    uv_loop_t *loop = uv_default_loop();
    uv_async_init(loop, &wake, on_wake);
    uv_queue_work(loop, &w, work, done);
#ifdef BUG
    worked++;
#endif
    uv_run(loop, UV_RUN_DEFAULT);
    assert(after == 1 && woken == 1 && worked == 1);
    uv_loop_close(loop);
}
