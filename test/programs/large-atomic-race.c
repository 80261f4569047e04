/* Atomic variables of sizes that no processor has: libatomic copies them under a lock. Copies to and from plain memory,
 * plain accesses to a part, and uses after free are seen. Without an argument everything is in order.
flags: -O1 -w
link: -latomic
expect: VERIFIED no error in any schedule$
expect with -- part: ERROR race
expect with -- freed: ERROR (memory|race)
expect with -- result: ERROR race
expect with -- expected: ERROR race
expect with -- source: ERROR race
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct triple { long a, b, c; };
static _Atomic struct triple shared;
static struct triple plain, *block;
static const char *what = "";

static int is(const char *name) { return !strcmp(what, name); }

static void add(void)
{
    struct triple old = atomic_load(&shared), new;
    do new = (struct triple){old.a + 1, old.b + 1, old.c + 1};
    while (!atomic_compare_exchange_strong(&shared, &old, new));
}

static void *work(void *arg)
{
    struct triple value = {1, 2, 3};
    if (is("")) add();
    if (is("part")) atomic_store(&shared, value);
    if (is("freed")) __atomic_store(block, &value, __ATOMIC_SEQ_CST);
    if (is("result")) __atomic_load((struct triple *)&shared, &plain, __ATOMIC_SEQ_CST);
    if (is("expected"))
        __atomic_compare_exchange((struct triple *)&shared, &plain, &value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (is("source")) __atomic_exchange((struct triple *)&shared, &plain, &value, __ATOMIC_SEQ_CST);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) what = argv[1];
    block = calloc(1, sizeof *block);
    plain.a = 7;
    pthread_create(&t, NULL, work, NULL);
    if (is("")) add();
    else if (is("part")) ((struct triple *)&shared)->b = 1;
    else if (is("freed")) free(block);
    else plain.c = 1;
    pthread_join(t, NULL);
    struct triple end = atomic_load(&shared);
    if (is("")) assert(end.a == 2 && end.b == 2 && end.c == 2);
    return 0;
}
