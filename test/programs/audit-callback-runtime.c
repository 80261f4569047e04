/* The audited functions qsort() and tdestroy() call strcmp() and free() of the runtime. The audit failed at the first
 * instruction of strcmp() that accessed protected memory.
expect: VERIFIED no error in any schedule$
expect with -- shared: ERROR race: .*shared
*/
#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

typedef int compare(const void *, const void *);

static char shared[3][4] = {"b", "a", "c"};
static int shares;

static void *sort(void *unused)
{
    char own[3][4] = {"b", "a", "c"};
    qsort(shares ? shared : own, 3, 4, (compare *)strcmp);
    void *root = NULL;
    tsearch(strdup("a"), &root, (compare *)strcmp);
    tsearch(strdup("b"), &root, (compare *)strcmp);
    tdestroy(root, free);
    return unused;
}

int main(int argc, char **argv)
{
    (void)argv;
    shares = argc > 1;
    pthread_t t;
    pthread_create(&t, NULL, sort, NULL);
    sort(NULL);
    pthread_join(t, NULL);
    return 0;
}
