/* A futex wait and cnd_wait may return for no reason.
 * expect with -- futex: ERROR assertion: word == 1
 * expect with -- futex-loop: VERIFIED no error in any schedule .spurious wake-ups: none where the program waits again.$
 * expect with -- c11: ERROR assertion: word == 1
 * expect with -- c11-loop: VERIFIED no error in any schedule .spurious wake-ups: none where the program waits again.$
 */
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

static atomic_int word;
static mtx_t m;
static cnd_t c;
static const char *how;

static int is(const char *text) { return !strcmp(how, text); }

static int waits(void *unused)
{
    (void)unused;
    if (is("futex")) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    if (is("futex-loop"))
        while (!word) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    mtx_lock(&m);
    if (is("c11") && !word) cnd_wait(&c, &m);
    while (is("c11-loop") && !word) cnd_wait(&c, &m);
    mtx_unlock(&m);
    assert(word == 1);
    return 0;
}

int main(int argc, char **argv)
{
    thrd_t t;
    how = argc > 1 ? argv[1] : "c11-loop";
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&t, waits, NULL);
    mtx_lock(&m);
    word = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    thrd_join(t, NULL);
    return 0;
}
