/* The handle of a thread is not valid after it was joined, nor after it has ended if it is detached.
expect with -- cancel: ERROR misuse: pthread_cancel\(\) of a detached thread that has ended
expect with --explore=dfs -- cancel: ERROR misuse: pthread_cancel\(\) of a detached thread that has ended
expect with -- kill: ERROR misuse: pthread_kill\(\) of a detached thread that has ended
expect with -- joined: ERROR misuse: pthread_cancel\(\) of a thread that was joined
expect with -- name: ERROR misuse: pthread_setname_np\(\) of a thread that was joined
expect with -- asked: ERROR misuse: pthread_getname_np\(\) of a thread that was joined
expect with -- attributes: ERROR misuse: pthread_getattr_np\(\) of a thread that was joined
expect with -- schedule: ERROR misuse: pthread_getschedparam\(\) of a thread that was joined
expect with -- clock: ERROR misuse: pthread_getcpuclockid\(\) of a thread that was joined
expect with -- processors: ERROR misuse: pthread_getaffinity_np\(\) of a thread that was joined
expect with -- exists: ERROR misuse: pthread_kill\(\) of a thread that was joined
expect with -- detached: ERROR misuse: pthread_setname_np\(\) of a detached thread that has ended
expect with -- in-time: VERIFIED no error in any schedule$
expect with -- waits: VERIFIED no error in any schedule$
*/
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

static sem_t go;
static const char *what;

static int is(const char *name) { return !strcmp(what, name); }

static void ignore(int s) { (void)s; }

static void *run(void *p)
{
    if (is("waits")) sem_wait(&go);
    return p;
}

static void use(pthread_t t)
{
    char name[16];
    pthread_attr_t attributes;
    struct sched_param parameters;
    clockid_t clock;
    cpu_set_t set;
    int policy;
    if (is("name") || is("detached") || is("in-time")) pthread_setname_np(t, "name");
    if (is("asked")) pthread_getname_np(t, name, sizeof name);
    if (is("attributes")) pthread_getattr_np(t, &attributes);
    if (is("schedule")) pthread_getschedparam(t, &policy, &parameters);
    if (is("clock")) pthread_getcpuclockid(t, &clock);
    if (is("processors")) pthread_getaffinity_np(t, sizeof set, &set);
    if (is("exists")) pthread_kill(t, 0);
}

int main(int argc, char **argv)
{
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    signal(SIGUSR1, ignore);
    sem_init(&go, 0, 0);
    pthread_create(&t, 0, run, 0);
    if (is("in-time")) use(t);
    if (is("cancel") || is("kill") || is("waits") || is("detached")) pthread_detach(t);
    else pthread_join(t, 0);
    if (!is("in-time")) use(t);
    if (is("kill")) pthread_kill(t, SIGUSR1);
    else if (is("cancel") || is("joined") || is("waits")) pthread_cancel(t);
    return 0;
}
