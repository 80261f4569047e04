/* Two threads that want to be the one who makes a file: O_EXCL decides; looking first does not.
 * expect with -- exclusive: VERIFIED no error in any schedule
 * expect with --verify -- exclusive: VERIFIED no error in any schedule
 * expect with -- looks: ERROR assertion: winners == 1 .*1 preemption
 * expect with --verify --explore=dpor -- looks: ERROR assertion: winners == 1
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int winners;
static int looks;

static void *work(void *a)
{
    if (looks && !access("made", F_OK)) return a;
    int fd = open("made", O_CREAT | O_WRONLY | (looks ? 0 : O_EXCL), 0600);
    if (fd < 0) return a;
    winners++;
    close(fd);
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    looks = argc > 1 && !strcmp(argv[1], "looks");
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(winners == 1);
}
