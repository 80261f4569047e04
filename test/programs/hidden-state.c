/* What the C library keeps between two calls is shared like a variable of the program's own.
 * expect with -- strtok: ERROR race: write of libc_strtok at
 * expect with -- time: ERROR race: write of libc_time_buffer at
 * expect with -- variables: ERROR race: (read|write) of libc_environment at
 * expect with -- locked: VERIFIED no error in any schedule
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *what;

static int words(const char *text)
{
    char copy[16];
    int n = 0;
    strcpy(copy, text);
    for (char *p = strtok(copy, ","); p; p = strtok(NULL, ",")) n++;
    return n;
}

static void *work(void *first)
{
    time_t t = 0;
    if (!strcmp(what, "strtok")) assert(words("a,b,c") == 3);
    if (!strcmp(what, "time")) assert(gmtime(&t)->tm_year == 70);
    if (!strcmp(what, "variables") && first) setenv("NAME", "value", 1);
    else if (!strcmp(what, "variables")) getenv("NAME");
    if (!strcmp(what, "locked")) {
        pthread_mutex_lock(&m);
        assert(words("a,b") == 2 && gmtime(&t)->tm_year == 70 && !setenv("NAME", "value", 1) && getenv("NAME"));
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    pthread_create(&t, NULL, work, "");
    work(NULL);
    pthread_join(t, NULL);
}
