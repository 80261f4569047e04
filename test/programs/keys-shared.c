/* Threads see the order in which keys are created and deleted.
expect with -- delete: ERROR misuse: using a key that was deleted
expect with -- read: ERROR misuse: using a key that was deleted
expect with -- create: ERROR assertion: first < second
expect with --explore=dfs -- delete: ERROR misuse
expect with -- own: VERIFIED no error in any schedule$
expect with --verify -- own: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <pthread.h>
#include <string.h>

static const char *what;
static pthread_key_t first, second;

static int is(const char *name) { return !strcmp(what, name); }

static void *run(void *p)
{
    if (is("create")) return pthread_key_create(&first, 0), p;
    if (is("read")) return pthread_getspecific(first);
    int status = pthread_setspecific(first, &first);
    assert(!status);
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    if (!is("create")) pthread_key_create(&first, 0);
    pthread_create(&t, 0, run, 0);
    if (is("delete") || is("read")) pthread_key_delete(first);
    if (is("create")) pthread_key_create(&second, 0);
    pthread_join(t, 0);
    if (is("create")) assert(first < second);
    if (is("own")) pthread_key_delete(first);
    return 0;
}
