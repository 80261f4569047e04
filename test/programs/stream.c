/* Streams on a pipe and a pair of sockets: lines from one thread to another, two threads that write to one stream, the
end of the other side, descriptors behind streams, and dprintf. With an argument the writer forgets to close its stream.
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with --isolate=fork: VERIFIED no error in any schedule$
expect with -- forgets: ERROR deadlock
*/
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2], pair[2], forgets;
static FILE *out;
static void *writes(void *a)
{
    FILE *f = fdopen(ends[1], "w");
    assert(f && fileno(f) == ends[1] && !fdopen(ends[1], "r"));
    fprintf(f, "%d\n", 17);
    fputs("second", f);
    fputc('\n', f);
    if (forgets) fflush(f);
    else fclose(f);
    return a;
}
static void *speaks(void *a) { return fprintf(out, "%s", (char *)a), a; }
static void read_all(void)
{
    char line[32], *all = NULL;
    size_t size = 0;
    int n = 0;
    FILE *in = fdopen(ends[0], "r");
    assert(fscanf(in, "%d", &n) == 1 && n == 17 && fgetc(in) == '\n');
    assert(getline(&all, &size, in) == 7 && !strcmp(all, "second\n"));
    assert(!fgets(line, sizeof line, in) && feof(in));
    free(all);
    fclose(in);
}
int main(int argc, char **argv)
{
    pthread_t t;
    char text[8] = "";
    forgets = argc > 1;
    assert(!pipe(ends));
    pthread_create(&t, 0, writes, 0);
    read_all();
    pthread_join(t, 0);
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    out = fdopen(pair[1], "w");
    pthread_create(&t, 0, speaks, "ab");
    speaks("cd");
    pthread_join(t, 0);
    assert(!fflush(NULL) && read(pair[0], text, 8) == 4);
    assert(!strcmp(text, "abcd") || !strcmp(text, "cdab"));
    assert(dprintf(pair[0], "%s", "answer") == 6 && read(pair[1], text, 8) == 6 && !memcmp(text, "answer", 6));
    fclose(out);
    assert(read(pair[0], text, 8) == 0);
}
