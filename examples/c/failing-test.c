/* A test that reports failures by its exit status, as most test programs do: one schedule loses an update.
 * expect: exit, 1 preemption
 * expect with --exit=ignore: verified */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int n;

static void *increment(void *arg)
{
    int old = n;
    n = old + 1;
    return arg;
}

static int both_count(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return n == 2;
}

int main(void)
{
    int failures = !both_count();
    printf("%d failures\n", failures);
    return failures;
}
