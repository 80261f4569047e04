/* What the C library keeps in its own data, and what the kernel keeps, by functions that no wrapper knows.
   flags: -O1 -w
   link: -lm
   expect with -- buffer: BOUNDED no error in any schedule, not fully observed: ether_ntoa at library_state.c:33 writes state of the C library, which (T\d|main) (reads|writes) at library_state.c:33
   expect with -- twice: BOUNDED no error in any schedule, not fully observed: ether_ntoa at library_state.c:3[14] writes state of the C library, which (T\d|main) (reads|writes) at library_state.c:3[14]
   expect with -- locked: VERIFIED no error in any schedule$
   expect with -- one: VERIFIED no error in any schedule$
   expect with -- copies: BOUNDED no error in any schedule, not fully observed: copy_file_range at library_state.c:36 makes system call 326$
   expect with -- pure: VERIFIED no error in any schedule$
   expect with -- system: VERIFIED no error in any schedule$
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <iconv.h>
#include <math.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wctype.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *mode = "";
static int files[2];
static _Thread_local volatile long seen;
static int is(const char *name) { return !strcmp(mode, name); }
static void *works(void *a)
{
    struct ether_addr address = {{1, 2, 3, 4, 5, 6}};
    if (is("locked")) pthread_mutex_lock(&m);
    if (is("twice") && a) seen = ether_ntoa(&address)[0];
    if (is("one") && a) seen = ether_ntoa(&address)[0];
    if (is("buffer") || is("locked")) seen = ether_ntoa(&address)[0];
    if (is("twice") && !a) seen = ether_ntoa(&address)[0];
    if (is("locked")) pthread_mutex_unlock(&m);
    if (is("copies") && a) copy_file_range(files[0], NULL, files[1], NULL, 1, 0);
    if (is("pure")) seen = (long)sin(seen + 1.0) + abs(3) + labs(4) + iswalpha(L'x') + wctype("alpha") + ffs(3);
    if (is("system")) seen = iconv_open("UTF-16", "UTF-8") != NULL, sysconf(_SC_NPROCESSORS_ONLN), getpagesize(), getuid();
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    for (int i = 0; i < 2; i++) files[i] = open(i ? "to.data" : "from.data", O_RDWR | O_CREAT, 0600);
    write(files[0], "x", 1);
    pthread_create(&t, NULL, works, NULL);
    works(argv);
    pthread_join(t, NULL);
    return unlink("to.data") | unlink("from.data");
}
