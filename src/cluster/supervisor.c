/* A launcher ends a job as soon as one of its processes is killed, with an exit status of its own. So the process that
 * it started does nothing but wait for the one that does the work: if that is killed, it is here that somebody can
 * still say so, and that nothing was found out. */
#define _GNU_SOURCE
#include "cluster/cluster_int.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;
static char *last_words; /* shared with the child */
static int complaints;   /* a file without a name: what the child would have said, had it been asked */
enum { LAST_WORDS = 4096 };

void cluster_last_words(const char *text)
{
    if (last_words) snprintf(last_words, LAST_WORDS, "%s", text);
}

void keep_complaints(void)
{
    fflush(stderr);
    dup2(complaints, STDERR_FILENO);
}

static volatile sig_atomic_t passed_on; /* the last signal that was; 0: none */

static void pass_on(int number)
{
    passed_on = number;
    kill(child, number);
}

static void print_complaints(int rank)
{
    char text[LAST_WORDS];
    ssize_t n = pread(complaints, text, sizeof text - 1, 0);
    if (n <= 0) return;
    text[n] = 0;
    fprintf(stderr, "heddle: process %d of the job: %s", rank, text);
}

static void watch(int rank)
{
    int status;
    for (int i = 1; i < NSIG; i++)
        if (i == SIGINT || i == SIGTERM || i == SIGHUP || i == SIGUSR1 || i == SIGUSR2) signal(i, pass_on);
    while (waitpid(child, &status, 0) < 0) continue;
    if (WIFSIGNALED(status) && WTERMSIG(status) == passed_on) _exit(EXIT_UNKNOWN); /* as the launcher wanted */
    if (!WIFEXITED(status) || WEXITSTATUS(status) == EXIT_BAD_INPUT) print_complaints(rank);
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    fprintf(stderr, "heddle: process %d of the job was killed by signal %d (%s)%s%s\n", rank, WTERMSIG(status),
            strsignal(WTERMSIG(status)), *last_words ? "; " : "", last_words);
    fprintf(stderr, "heddle: UNKNOWN the job was not finished\n");
    _exit(EXIT_UNKNOWN);
}

void supervise(int rank)
{
    pid_t parent = getpid();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a job without its launcher is none */
    last_words = mmap(NULL, LAST_WORDS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    complaints = memfd_create("complaints", MFD_CLOEXEC);
    if (last_words == MAP_FAILED || complaints < 0) die("out of memory");
    child = fork();
    if (child < 0) die("cannot start another process");
    if (child > 0) watch(rank);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_UNKNOWN);
}
