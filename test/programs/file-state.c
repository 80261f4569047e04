/* What the kernel keeps of files and descriptors for the whole process: another thread changes it between two
   questions. Under a lock (no argument) it does not.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule$
expect with -- truncate: ERROR assertion
expect with -- truncate-stat: ERROR assertion
expect with -- truncate-seek: ERROR assertion
expect with -- open: ERROR assertion
expect with -- dup: ERROR assertion
expect with -- close: ERROR assertion
expect with -- status: ERROR assertion
expect with -- closed: ERROR assertion
expect with -- closed-here: ERROR assertion
expect with -- appends: ERROR assertion
expect with -- mode: ERROR assertion
expect with -- fmode: ERROR assertion
expect with -- symbolic: ERROR assertion
expect with -- times: ERROR assertion
*/
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *mode = "";
static int file;
static int is(const char *name) { return !*mode || !strcmp(mode, name); }
static struct stat by_number(void) { struct stat s; return fstat(file, &s), s; }
static struct stat by_name(void) { struct stat s; return stat("file-state.data", &s), s; }
static int next_number(void) { int fd = open("/dev/null", O_RDONLY); return close(fd), fd; }
static void changes(void)
{
    static const struct timespec then[2];
    if (is("truncate") || is("truncate-stat") || is("truncate-seek")) ftruncate(file, 2);
    if (is("open")) open("/dev/null", O_RDONLY);
    if (is("dup")) dup(0);
    if (is("close")) close(0);
    if (is("status") || is("appends")) fcntl(file, F_SETFL, O_APPEND);
    if (!strcmp(mode, "closed") || !strcmp(mode, "closed-here")) close(file);
    if (is("mode") || is("fmode")) fchmod(file, 0400);
    if (is("symbolic")) symlink("nowhere", "file-state.link");
    if (is("times")) futimens(file, then);
}
static long answer(void)
{
    char text[8];
    long n = 0;
    if (is("truncate")) n += pread(file, text, 8, 0);
    if (is("truncate-stat")) n += by_number().st_size;
    if (is("truncate-seek")) n += lseek(file, 0, SEEK_END);
    if (is("open") || is("dup") || is("close")) n += next_number();
    if (is("status")) n += fcntl(file, F_GETFL);
    if (!strcmp(mode, "appends")) n += pwrite(file, "x", 1, 0) + by_number().st_size;
    if (!strcmp(mode, "closed")) n += pwrite(file, "x", 1, 0);
    if (!strcmp(mode, "closed-here")) n += write(file, "x", 1);
    if (is("mode")) n += by_name().st_mode;
    if (is("fmode")) n += by_number().st_mode;
    if (is("symbolic")) n += readlink("file-state.link", text, 8);
    if (is("times")) n += by_name().st_mtime;
    return n;
}
static void *works(void *a)
{
    if (!*mode) pthread_mutex_lock(&m);
    if (!*mode || !a) changes();
    long before = answer();
    if (a) assert(answer() == before);
    if (!*mode) pthread_mutex_unlock(&m);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    file = open("file-state.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(file, "xxxx", 4);
    pthread_create(&t, NULL, works, NULL);
    works("second");
    pthread_join(t, NULL);
    unlink("file-state.link");
    return unlink("file-state.data");
}
