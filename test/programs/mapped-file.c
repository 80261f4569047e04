/* A file that is mapped and written to by its descriptor, and pages that are given back to the kernel.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule$
expect with -- pwrite: ERROR race
expect with -- write: ERROR race
expect with -- pread: ERROR race
expect with -- private: ERROR race
expect with -- truncate: ERROR race
expect with -- madvise: ERROR race
*/
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *mode = "";
static int file;
static char *mapping, *private, *pages;
static _Thread_local volatile int seen;
static int is(const char *name) { return !*mode || !strcmp(mode, name); }
static void first(void)
{
    char text[8];
    if (is("pwrite") || is("private")) pwrite(file, "y", 1, 0);
    if (is("write")) write(file, "y", 1);
    if (is("pread")) pread(file, text, 8, 0);
    if (is("truncate")) ftruncate(file, 1);
    if (is("madvise")) madvise(pages, 4096, MADV_DONTNEED);
}
static void second(void)
{
    if (is("pwrite") || is("write")) seen = mapping[0];
    if (is("truncate")) seen = mapping[3];
    if (is("pread")) mapping[0] = 'z';
    if (is("private")) seen = private[0];
    if (is("madvise")) seen = pages[0];
}
static void *works(void *a)
{
    if (!*mode) pthread_mutex_lock(&m);
    a ? first() : second();
    if (!*mode) pthread_mutex_unlock(&m);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    file = open("mapped-file.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(file, "xxxx", 4);
    lseek(file, 0, SEEK_SET);
    if (is("private")) private = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    if (!is("private") || !*mode) mapping = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages[0] = 1;
    pthread_create(&t, NULL, works, (void *)1);
    works(NULL);
    pthread_join(t, NULL);
    return unlink("mapped-file.data");
}
