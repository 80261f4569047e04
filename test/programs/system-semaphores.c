/* System V semaphores as locks between threads.
 * expect with -- lock: VERIFIED no error in any schedule$
 * expect with -- no-lock: ERROR race
 * expect with -- zero: VERIFIED no error in any schedule$
 * expect with -- deadlock: ERROR deadlock
 * expect with --explore=optimal -- deadlock: ERROR deadlock
 * expect with -- at-once: VERIFIED no error in any schedule$
 * expect with -- no-wait: VERIFIED no error in any schedule$
 * expect with -- limit: VERIFIED no error in any schedule$
 * expect with -- other: ERROR race
 * expect with -- removed: VERIFIED no error in any schedule$
 * expect with -- set: VERIFIED no error in any schedule$
 * expect with --verify -- lock: VERIFIED
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>
static const char *mode;
static int set, data;

static int is(const char *other) { return !strcmp(mode, other); }

static int change(int n, int by, int flags)
{
    struct sembuf b = {(unsigned short)n, (short)by, (short)flags};
    return semop(set, &b, 1);
}

static void nest(int a, int b)
{
    change(a, -1, 0);
    change(b, -1, 0);
    data++;
    change(b, 1, 0);
    change(a, 1, 0);
}

static void at_once(long id)
{
    struct sembuf take[2] = {{(unsigned short)id, -1, 0}, {!id, -1, SEM_UNDO}}, give[2] = {{0, 1, 0}, {1, 1, 0}};
    assert(!semop(set, take, 2));
    data++;
    assert(!semop(set, give, 2));
}

static int take_one(int n)
{
    struct timespec second = {1, 0};
    struct sembuf take = {(unsigned short)n, -1, 0};
    return is("limit") ? semtimedop(set, &take, 1, &second) : change(n, -1, is("no-wait") ? IPC_NOWAIT : 0);
}

static void *work(void *a)
{
    long id = (long)a;
    if (is("deadlock")) nest((int)id, !id);
    else if (is("at-once")) at_once(id);
    else if (is("zero") && id) data = 1, change(0, -1, 0);
    else if (is("zero")) assert(!change(0, 0, 0) && data == 1 && semctl(set, 0, GETVAL) == 0);
    else if (is("set") && id) data = 1, semctl(set, 2, SETVAL, 1);
    else if (is("set")) change(2, -1, 0), assert(data == 1);
    else if (is("removed") && id) semctl(set, 0, IPC_RMID);
    else if (is("removed")) assert(change(2, -1, 0) == -1 && (errno == EIDRM || errno == EINVAL));
    else if (is("no-lock")) data++;
    else if (!take_one(is("other") ? (int)id : 0)) data++, change(is("other") ? (int)id : 0, 1, 0);
    else assert(errno == EAGAIN && (is("no-wait") || is("limit")));
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    unsigned short ones[3] = {1, 1, 0};
    mode = argc > 1 ? argv[1] : "";
    set = semget(IPC_PRIVATE, 3, 0600);
    assert(set >= 0 && !semctl(set, 0, SETALL, ones));
    pthread_create(&t, NULL, work, (void *)1);
    work(NULL);
    pthread_join(t, NULL);
    semctl(set, 0, IPC_RMID);
    return 0;
}
