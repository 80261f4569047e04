/* Pipes between threads: what is read was written, and happened before; a full one and an empty one wait; ends that are
closed are noticed; descriptors have the lowest free numbers.
expect with -- order: VERIFIED no error in any schedule$
expect with --explore=optimal -- order: VERIFIED no error in any schedule$
expect with --explore=dpor -- order: VERIFIED no error in any schedule$
expect with --verify -- order: VERIFIED no error in any schedule$
expect with -- full: VERIFIED no error in any schedule$
expect with -- close: VERIFIED no error in any schedule$
expect with --verify -- close: VERIFIED no error in any schedule$
expect with --explore=dpor -- close: VERIFIED no error in any schedule$
expect with -- two: ERROR assertion: c == 'a'
expect with -- empty: ERROR deadlock: no thread can go on
expect with -- broken: ERROR crash: the program is ended by signal 13 \(PIPE\)
expect with -- nonblock: BOUNDED no error in any schedule, where a thread yields
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
static int p[2], published;
static char big[40000], taken[40000];
static void *write_two(void *a)
{
    published = 1;
    assert(write(p[1], "a", 1) == 1);
    published = 2;
    assert(write(p[1], "b", 1) == 1);
    return a;
}
static void order(void)
{
    char c;
    assert(read(p[0], &c, 1) == 1 && c == 'a');
    assert(read(p[0], &c, 1) == 1 && c == 'b');
    assert(published == 2);
}
static void *write_big(void *a)
{
    assert(write(p[1], big, sizeof big) == sizeof big);
    assert(write(p[1], big, sizeof big) == sizeof big);
    close(p[1]);
    return a;
}
static void full(void)
{
    for (size_t got = 0; got < 2 * sizeof big;) got += (size_t)read(p[0], taken, sizeof taken);
    assert(read(p[0], taken, 1) == 0);
}
static void *write_and_close(void *a)
{
    write(p[1], "a", 1);
    close(p[1]);
    return a;
}
static void closes(void)
{
    char c[4];
    int fd = dup(p[0]);
    assert(fd == p[1] + 1 || fd == p[1]);
    close(p[0]);
    assert(read(fd, c, sizeof c) == 1);
    assert(read(fd, c, sizeof c) == 0);
}
static void *write_one(void *a)
{
    write(p[1], a, 1);
    return a;
}
static void two(void)
{
    pthread_t t;
    char c;
    pthread_create(&t, 0, write_one, "b");
    read(p[0], &c, 1);
    assert(c == 'a');
    pthread_join(t, 0);
}
static void *nothing(void *a) { return a; }
static void empty(void)
{
    char c;
    read(p[0], &c, 1);
}
static void broken(void)
{
    close(p[0]);
    write(p[1], "a", 1);
}
static void nonblock(void)
{
    char c;
    assert(!fcntl(p[0], F_SETFL, O_NONBLOCK) && (fcntl(p[0], F_GETFL) & O_NONBLOCK));
    while (read(p[0], &c, 1) < 0) assert(errno == EAGAIN);
    assert(c == 'a');
}
static const struct { const char *name; void *(*thread)(void *); void (*here)(void); void *argument; } cases[] = {
    {"order", write_two, order, 0},     {"full", write_big, full, 0},     {"close", write_and_close, closes, 0},
    {"two", write_one, two, "a"},       {"empty", nothing, empty, 0},     {"broken", nothing, broken, 0},
    {"nonblock", write_one, nonblock, "a"}};
int main(int argc, char **argv)
{
    pthread_t t;
    assert(!pipe(p));
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].name, argv[1])) continue;
        pthread_create(&t, 0, cases[i].thread, cases[i].argument);
        cases[i].here();
        pthread_join(t, 0);
    }
}
