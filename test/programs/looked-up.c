/* Functions that the program gets from dlsym(): the runtime's where it has one, else calls of them are audited.
flags: -O1
expect: VERIFIED no error in any schedule$
expect with -- set: ERROR race: .*text
expect with -- unlocked: ERROR race: .*count
expect with -- frob: BOUNDED .* not fully observed: memfrob at looked-up.c:\d+ writes text\[.*(T\d|main)
expect with -- variable: VERIFIED no error in any schedule$
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static const char *mode = "";
static char text[64];
static int count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *(*set)(void *, int, size_t);
static void *(*frob)(void *, size_t);
static int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);

static int is(const char *name) { return !strcmp(mode, name); }

static void work(int first)
{
    if (!is("unlocked") && !is("set") && !is("frob")) lock(&m);
    if (first && is("set")) set(text, 1, sizeof text);
    else if (first) frob(text, sizeof text);
    if (!first && !is("unlocked")) count += text[3];
    if (!is("set") && !is("frob")) count++;
    if (!is("unlocked") && !is("set") && !is("frob")) unlock(&m);
}

static void *start(void *arg) { return work(1), arg; }

int main(int argc, char **argv)
{
    pthread_t t;
    void *library = dlopen("libc.so.6", RTLD_NOW);
    if (argc > 1) mode = argv[1];
    set = (__typeof__(set))dlsym(RTLD_DEFAULT, "memset");
    frob = (__typeof__(frob))dlsym(library, "memfrob");
    lock = (__typeof__(lock))dlsym(library, "pthread_mutex_lock");
    unlock = (__typeof__(unlock))dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    if (is("variable") && *(char ***)dlsym(library, "environ") == NULL) return 1;
    if (dlsym(library, "no such function")) return 1;
    pthread_create(&t, NULL, start, NULL);
    work(0);
    pthread_join(t, NULL);
    return 0;
}
