/* Two threads that use one stream: each call is one step, the lock of flockfile() holds back calls by others, and
without it what two calls write may be torn apart. Printing to standard output by several threads adds no schedules.
flags: -O1 -D_GNU_SOURCE
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with -- torn: ERROR assertion
expect with -- order: ERROR assertion
expect with -- unlocked: ERROR race
expect with -- held: ERROR deadlock
expect with -- closes: ERROR
expect with --races=explore -- closes: ERROR memory
expect with --races=explore --explore=optimal -- closes: ERROR memory
expect with -- reads: ERROR assertion
expect with -- prints: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static FILE *f;
static sem_t holds, done;
static int first, second;
static const char *mode = "";
static int is(const char *s) { return !strcmp(mode, s); }
static void pair(int c)
{
    if (!*mode) flockfile(f);
    if (is("unlocked")) putc_unlocked(c, f), putc_unlocked(c, f);
    else fputc(c, f), fputc(c, f);
    if (!*mode) funlockfile(f);
}
static void *works(void *a)
{
    if (is("prints"))
        for (int i = 0; i < 4; i++) printf("%d\n", i), puts("and"), fprintf(stderr, "%s", "this\n");
    else if (is("order")) fprintf(f, "%s", a ? "a" : "b");
    else if (is("reads")) a ? first = fgetc(f) : (second = fgetc(f));
    else if (is("closes")) a ? fputc('x', f) : fclose(f);
    else if (is("held") && a) flockfile(f), sem_post(&holds), sem_wait(&done), funlockfile(f);
    else if (is("held")) sem_wait(&holds), fputc('x', f), sem_post(&done);
    else pair(a ? 'a' : 'b');
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t;
    char *text = 0;
    size_t size = 0;
    mode = argc > 1 ? argv[1] : "";
    sem_init(&holds, 0, 0);
    sem_init(&done, 0, 0);
    f = is("reads") ? fmemopen("xy", 2, "r") : open_memstream(&text, &size);
    pthread_create(&t, 0, works, 0);
    works(&t);
    pthread_join(t, 0);
    if (is("prints")) return 0;
    if (is("reads")) return assert(first == 'x' && second == 'y'), 0;
    if (!is("closes")) fclose(f);
    if (is("order")) assert(!strcmp(text, "ab"));
    else if (!is("closes")) assert(!strcmp(text, "aabb") || !strcmp(text, "bbaa"));
    free(text);
    return 0;
}
