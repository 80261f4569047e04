/* What functions that the runtime implements read and write for the program: paths, modes, lists of pieces, addresses,
 * attributes, answers. The thread calls, and main accesses the argument without a lock; with a lock (no argument)
 * nothing is wrong.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule$
expect with -- freed: ERROR (memory|race)
expect with -- pieces: ERROR race
expect with -- open: ERROR race
expect with -- creat: ERROR race
expect with -- openat: ERROR race
expect with -- fopen: ERROR race
expect with -- mode: ERROR race
expect with -- opendir: ERROR race
expect with -- stat: ERROR race
expect with -- access: ERROR race
expect with -- removed: ERROR race
expect with -- rename: ERROR race
expect with -- hard: ERROR race
expect with -- pointer: ERROR race
expect with -- mkdir: ERROR race
expect with -- chmod: ERROR race
expect with -- truncate: ERROR race
expect with -- shm_open: ERROR race
expect with -- sem_open: ERROR race
expect with -- mq_open: ERROR race
expect with -- queue: ERROR race
expect with -- getenv: ERROR race
expect with -- readv: ERROR race
expect with -- writev: ERROR race
expect with -- preadv: ERROR race
expect with -- sendmsg: ERROR race
expect with -- connect: ERROR race
expect with -- bind: ERROR race
expect with -- option: ERROR race
expect with -- set_timer: ERROR race
expect with -- get_timer: ERROR race
expect with -- times: ERROR race
expect with -- lock: ERROR race
expect with -- asked: ERROR race
expect with -- room: ERROR race
expect with -- thread: ERROR race
expect with -- mutex: ERROR race
expect with -- condition: ERROR race
expect with -- stack: ERROR race
expect with -- key: ERROR race
expect with -- once: ERROR race
expect with -- end: ERROR race
expect with -- processors: ERROR race
expect with -- aligned: ERROR race
expect with -- asks_name: ERROR race
expect with -- sets_name: ERROR race
expect with -- policy: ERROR race
expect with -- affinity: ERROR race
expect with -- signals: ERROR race
expect with -- offset: ERROR race
expect with -- polled_mask: ERROR race
expect with -- selected_mask: ERROR race
expect with -- futex_time: ERROR race
expect with -- raw_random: ERROR race
expect with -- raw_write: ERROR race
*/
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static const char *wanted;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other;
static pthread_cond_t condition;
static char path[] = "/none/path", mode[] = "r", bytes[3], *block;
static struct stat status;
static struct mq_attr queue = {.mq_maxmsg = 2, .mq_msgsize = 8};
static struct iovec piece = {bytes, 3};
static struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
static struct sockaddr_un address = {AF_UNIX, "/none/path"};
static struct itimerspec when;
static struct timespec stamps[2];
static struct flock region = {.l_type = F_WRLCK};
static pthread_attr_t attributes;
static pthread_mutexattr_t kind;
static pthread_condattr_t clock_kind;
static pthread_key_t key;
static pthread_once_t once;
static cpu_set_t set;
static void *aligned;
static char name[16] = "thread";
static struct sched_param policy;
static sigset_t signals;
static off64_t offset;
static int word;
static FILE *stream;
static int ends[2], pair[2], unbound, timer, file;
static volatile int value;

static void nothing(void) {}
static void *return_it(void *arg) { return arg; }

static void start_thread(void)
{
    pthread_t t;
    pthread_create(&t, &attributes, return_it, NULL);
    pthread_join(t, NULL);
}

static const char *const names[] = {
    "open",
    "creat",
    "openat",
    "fopen",
    "mode",
    "opendir",
    "stat",
    "access",
    "removed",
    "rename",
    "hard",
    "pointer",
    "mkdir",
    "chmod",
    "truncate",
    "shm_open",
    "sem_open",
    "mq_open",
    "queue",
    "getenv",
    "readv",
    "writev",
    "preadv",
    "sendmsg",
    "connect",
    "bind",
    "option",
    "set_timer",
    "get_timer",
    "times",
    "lock",
    "asked",
    "room",
    "thread",
    "mutex",
    "condition",
    "stack",
    "key",
    "once",
    "end",
    "processors",
    "aligned",
    "asks_name",
    "sets_name",
    "policy",
    "affinity",
    "signals",
    "offset",
    "polled_mask",
    "selected_mask",
    "futex_time",
    "raw_random",
    "raw_write",
};
enum { COUNT = sizeof names / sizeof *names };

static void call(int which)
{
    switch (which) {
    case 0: open(path, O_RDONLY); break;
    case 1: creat(path, 0600); break;
    case 2: openat(AT_FDCWD, path, 0); break;
    case 3: fopen(path, "r"); break;
    case 4: fopen("/none", mode); break;
    case 5: opendir(path); break;
    case 6: stat(path, &status); break;
    case 7: access(path, 0); break;
    case 8: unlink(path); break;
    case 9: rename(path, "/none"); break;
    case 10: link(path, "/none"); break;
    case 11: symlink(path, "/none/x"); break;
    case 12: mkdir(path, 0700); break;
    case 13: chmod(path, 0600); break;
    case 14: truncate(path, 0); break;
    case 15: shm_open(path, O_RDWR, 0600); break;
    case 16: sem_open(path, 0); break;
    case 17: mq_open(path, O_RDWR); break;
    case 18: mq_open("/none", O_RDONLY, 0600, &queue) + mq_open("/q", O_CREAT | O_RDWR, 0600, &queue); break;
    case 19: getenv(path); break;
    case 20: readv(ends[0], &piece, 1); break;
    case 21: writev(ends[1], &piece, 1); break;
    case 22: preadv(file, &piece, 1, 0); break;
    case 23: sendmsg(pair[0], &message, 0); break;
    case 24: connect(unbound, (void *)&address, sizeof address); break;
    case 25: bind(unbound, (void *)&address, sizeof address); break;
    case 26: setsockopt(unbound, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value); break;
    case 27: timerfd_settime(timer, 0, &when, NULL); break;
    case 28: timerfd_gettime(timer, &when); break;
    case 29: futimens(file, stamps); break;
    case 30: fcntl(file, F_SETLK, &region); break;
    case 31: fcntl(file, F_GETLK, &region); break;
    case 32: ioctl(file, FIONREAD, &value); break;
    case 33: start_thread(); break;
    case 34: pthread_mutex_init(&other, &kind); break;
    case 35: pthread_cond_init(&condition, &clock_kind); break;
    case 36: pthread_getattr_np(pthread_self(), &attributes); break;
    case 37: pthread_key_create(&key, NULL); break;
    case 38: pthread_once(&once, nothing); break;
    case 39: getc(stream); break;
    case 40: pthread_getaffinity_np(pthread_self(), sizeof set, &set); break;
    case 41: posix_memalign(&aligned, 64, 64); break;
    case 42: prctl(PR_GET_NAME, name); break;
    case 43: prctl(PR_SET_NAME, name); break;
    case 44: pthread_setschedparam(pthread_self(), SCHED_OTHER, &policy); break;
    case 45: pthread_setaffinity_np(pthread_self(), sizeof set, &set); break;
    case 46: signalfd(-1, &signals, 0); break;
    case 47: splice(file, &offset, ends[1], NULL, 1, 0); break;
    case 48: ppoll(&(struct pollfd){ends[1], POLLOUT, 0}, 1, NULL, &signals); break;
    case 49: pselect(0, NULL, NULL, NULL, &(struct timespec){0, 1}, &signals); break;
    case 50: syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, stamps, NULL, 0); break;
    case 51: syscall(SYS_getrandom, bytes, sizeof bytes, 0); break;
    case 52: syscall(SYS_write, ends[1], bytes, 1); break;
    }
}

static void touch(int which)
{
    switch (which) {
    case 0: path[2]++; break;
    case 1: path[2]++; break;
    case 2: path[2]++; break;
    case 3: path[2]++; break;
    case 4: mode[0] = 'w'; break;
    case 5: path[2]++; break;
    case 6: path[2]++; break;
    case 7: path[2]++; break;
    case 8: path[2]++; break;
    case 9: path[2]++; break;
    case 10: path[2]++; break;
    case 11: path[2]++; break;
    case 12: path[2]++; break;
    case 13: path[2]++; break;
    case 14: path[2]++; break;
    case 15: path[2]++; break;
    case 16: path[2]++; break;
    case 17: path[2]++; break;
    case 18: queue.mq_maxmsg = 3; break;
    case 19: path[2]++; break;
    case 20: piece.iov_len = 2; break;
    case 21: piece.iov_len = 2; break;
    case 22: piece.iov_len = 2; break;
    case 23: message.msg_iovlen = 0; break;
    case 24: address.sun_path[2] = 'x'; break;
    case 25: address.sun_path[2] = 'x'; break;
    case 26: value = 0; break;
    case 27: when.it_value.tv_sec = 1; break;
    case 28: value = (int)when.it_value.tv_sec; break;
    case 29: stamps[1].tv_sec = 1; break;
    case 30: region.l_len = 1; break;
    case 31: value = region.l_type; break;
    case 32: path[2] = (char)value; break;
    case 33: attributes = (pthread_attr_t){0}; break;
    case 34: memset(&kind, 0, sizeof kind); break;
    case 35: memset(&clock_kind, 0, sizeof clock_kind); break;
    case 36: value = *(int *)&attributes; break;
    case 37: value = (int)key; break;
    case 38: once = PTHREAD_ONCE_INIT; break;
    case 39: value = (feof_unlocked)(stream); break;
    case 40: value = CPU_ISSET(0, &set); break;
    case 41: value = aligned != NULL; break;
    case 42: value = name[0]; break;
    case 43: name[0]++; break;
    case 44: policy.sched_priority = 0; break;
    case 45: CPU_ZERO(&set); break;
    case 46: sigemptyset(&signals); break;
    case 47: value = (int)offset; offset = 1; break;
    case 48: sigemptyset(&signals); break;
    case 49: sigemptyset(&signals); break;
    case 50: stamps[0].tv_sec = 1; break;
    case 51: value = bytes[1]; break;
    case 52: bytes[0] = 1; break;
    }
}

static void *work(void *arg)
{
    if (wanted && !strcmp(wanted, "freed")) open(block, O_RDONLY);
    if (wanted && !strcmp(wanted, "pieces")) readv(ends[0], &piece, 1);
    if (!wanted) pthread_mutex_lock(&m);
    for (int i = 0; i < COUNT; i++)
        if (wanted && !strcmp(wanted, names[i])) call(i);
    if (!wanted) access(path, 0), writev(file, &piece, 1), pthread_getattr_np(pthread_self(), &attributes);
    if (!wanted) pthread_mutex_unlock(&m);
    return arg;
}

static void prepare(void)
{
    block = strdup("/none");
    pipe(ends);
    write(ends[1], "abc", 3);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    unbound = socket(AF_UNIX, SOCK_STREAM, 0);
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    file = memfd_create("file", 0);
    stream = fopen("/etc/passwd", "r");
    pthread_attr_init(&attributes);
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) wanted = argv[1];
    prepare();
    pthread_create(&t, NULL, work, NULL);
    if (wanted && !strcmp(wanted, "freed")) free(block);
    if (wanted && !strcmp(wanted, "pieces")) piece.iov_len = 2;
    if (!wanted) pthread_mutex_lock(&m);
    if (!wanted) path[2]++, piece.iov_len = 2, value = *(int *)&attributes;
    if (!wanted) pthread_mutex_unlock(&m);
    for (int i = 0; i < COUNT; i++)
        if (wanted && !strcmp(wanted, names[i])) touch(i);
    pthread_join(t, NULL);
    return 0;
}
