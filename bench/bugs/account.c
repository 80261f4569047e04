/* A bank account: one thread deposits, one withdraws, and an auditor compares once both have finished.
 * Bug: the deposit reads the balance under the lock and stores the sum under it again, but lets go of it in between.
 * A withdrawal in the gap is lost.
 * Row: CS/account
 * Expect: assertion */
#include "threads.h"

enum { START = 100, IN = 50, OUT = 30 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = START, deposited, withdrawn;

static void *deposit(void *unused)
{
    pthread_mutex_lock(&lock);
    int sum = balance + IN;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = sum;
    deposited = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *withdraw(void *unused)
{
    pthread_mutex_lock(&lock);
    balance -= OUT;
    withdrawn = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *audit(void *unused)
{
    pthread_mutex_lock(&lock);
    if (deposited && withdrawn) assert(balance == START + IN - OUT);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    start(deposit, NULL);
    start(withdraw, NULL);
    start(audit, NULL);
    join_all();
}
