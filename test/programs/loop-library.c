/* A loop in which a library function moves on through memory of the program does not wait, although the loop itself
 * changes nothing. If the flag comes late the string is used up.
flags: -O1
expect: VERIFIED no error in any schedule$
expect with -- token: ERROR crash: abort\(\) is called
expect with -- number: ERROR crash: abort\(\) is called
expect with -- decimal: ERROR crash: abort\(\) is called
expect with -- insert: ERROR crash: abort\(\) is called
expect with -- scan: ERROR crash: abort\(\) is called
*/
#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static atomic_int flag;
static char text[] = "1 2 3 x", *rest = text;
static const char *what = "";
static int keys[4], value;
static size_t count;

static int compare(const void *a, const void *b) { return *(const int *)a != *(const int *)b; }

static int is_used_up(void)
{
    if (!strcmp(what, "token")) return !strtok_r(NULL, " ", &rest);
    if (!strcmp(what, "number")) return !strtol(rest, &rest, 10);
    if (!strcmp(what, "decimal")) return strtod(rest, &rest) == 0;
    if (!strcmp(what, "scan")) return sscanf(text + 2 * value, "%d", &value) != 1;
    if (!strcmp(what, "insert")) {
        int key = (int)count;
        return !lsearch(&key, keys, &count, sizeof *keys, compare) || count == 4;
    }
    return 0;
}

static void *work(void *arg)
{
    while (!flag)
        if (is_used_up()) abort();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) what = argv[1];
    pthread_create(&t, NULL, work, NULL);
    flag = 1;
    pthread_join(t, NULL);
    return 0;
}
