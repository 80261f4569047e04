/* Mutual exclusion with plain variables: a thread waits for several of them, of which some become scheduling points
only when their race was seen. Arguments: algorithm, number of threads, "bug" (one statement is left out).
flags: -O0
expect with --races=explore -- peterson 2: VERIFIED no error in any schedule
expect with --races=explore -- split 2: VERIFIED no error in any schedule
expect with --races=explore --explore=icb -- split 2: VERIFIED no error in any schedule
expect with --races=explore --explore=cb-por -- split 2: VERIFIED no error in any schedule
expect with --races=explore --explore=optimal -- split 2: VERIFIED no error in any schedule
expect with --races=explore -- dekker 2: VERIFIED no error in any schedule
expect with --races=explore -- bakery 2: VERIFIED no error in any schedule
expect with --races=explore -- filter 2: VERIFIED no error in any schedule
expect with --races=explore -- fast 2: VERIFIED no error in any schedule
expect with --races=explore -b 0 -- bakery 3: BOUNDED no error with at most 0 preemptions
expect with --races=explore -b 0 -- filter 3: BOUNDED no error with at most 0 preemptions
expect with --races=explore -b 0 -- fast 3: BOUNDED no error with at most 0 preemptions
expect with --races=explore -- peterson 2 bug: ERROR assertion: in == 1
expect with --races=explore -- split 2 bug: ERROR assertion: in == 1
expect with --races=explore -- dekker 2 bug: ERROR assertion: in == 1
expect with --races=explore -- bakery 3 bug: ERROR assertion: in == 1
expect with --races=explore -- filter 3 bug: ERROR assertion: in == 1
expect with --races=explore -- fast 2 bug: ERROR assertion: in == 1
expect with --races=explore -- split 2 kept: ERROR livelock: no thread makes progress
expect with --races=explore -- peterson 2 kept: ERROR livelock: no thread makes progress
*/
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { MOST = 3 };
static volatile int flag[MOST], flag0, flag1, turn, level[MOST], last[MOST], choosing[MOST], number[MOST], x, y, in;
static int threads, bug, kept;
static void peterson(int i)
{
    flag[i] = 1;
    if (!bug) turn = 1 - i;
    while (flag[1 - i] && turn == 1 - i) {}
}
static void split(int i)
{
    if (i == 0) {
        flag0 = 1;
        if (!bug) turn = 1;
        while (flag1 == 1 && turn == 1) {}
    } else {
        flag1 = 1;
        turn = 0;
        while (flag0 == 1 && turn == 0) {}
    }
}
static void filter(int i)
{
    for (int l = 1; l < threads; l++) {
        level[i] = l;
        if (!bug) last[l] = i;
        for (int k = 0; k < threads; k++)
            while (k != i && level[k] >= l && last[l] == i) {}
    }
}
static void dekker(int i)
{
    flag[i] = 1;
    while (flag[1 - i]) {
        if (turn == i) continue;
        flag[i] = 0;
        while (turn != i && !bug) {}
        flag[i] = 1;
        if (bug) break;
    }
}
static void bakery(int i)
{
    int most = 0;
    if (!bug) choosing[i] = 1;
    for (int k = 0; k < threads; k++) {
        int n = number[k];
        if (n > most) most = n;
    }
    number[i] = most + 1;
    choosing[i] = 0;
    for (int k = 0; k < threads; k++) {
        while (choosing[k]) {}
        while (number[k] && (number[k] < number[i] || (number[k] == number[i] && k < i))) {}
    }
}
/* Lamport, "A fast mutual exclusion algorithm", 1987. */
static void fast(int i)
{
    for (;;) {
        flag[i] = 1;
        x = i + 1;
        if (!y) {
            y = i + 1;
            if (x == i + 1) return;
            flag[i] = 0;
            for (int k = 0; k < threads; k++)
                while (flag[k] && !bug) {}
            if (y == i + 1 || bug) return;
        } else {
            flag[i] = 0;
        }
        while (y) {}
    }
}
static void (*lock)(int);
static void unlock(int i)
{
    if (kept) return;
    if (lock == dekker) turn = 1 - i;
    if (lock == fast) y = 0;
    if (lock == bakery) number[i] = 0;
    else if (lock == filter) level[i] = 0;
    else if (lock != split) flag[i] = 0;
    else if (i) flag1 = 0;
    else flag0 = 0;
}
static void *worker(void *a)
{
    int i = (int)(long)a;
    lock(i);
    in++;
    assert(in == 1);
    in--;
    unlock(i);
    return a;
}
int main(int argc, char **argv)
{
    static const struct { const char *name; void (*lock)(int); } known[] = {
        {"peterson", peterson}, {"split", split},   {"dekker", dekker},
        {"bakery", bakery},     {"filter", filter}, {"fast", fast},
    };
    pthread_t t[MOST];
    if (argc < 3) return 0;
    for (int i = 0; i < 6; i++)
        if (!strcmp(argv[1], known[i].name)) lock = known[i].lock;
    threads = atoi(argv[2]);
    bug = argc > 3 && !strcmp(argv[3], "bug");
    kept = argc > 3 && !strcmp(argv[3], "kept");
    for (long i = 0; i < threads; i++) pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
    return 0;
}
