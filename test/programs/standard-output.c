/* Standard output that the program leads elsewhere: what threads print there is read back, so that its order matters.
 * Prints to the standard output that the program was given commute.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule$
expect with -- file: ERROR assertion: byte == 'a'
expect with -- reopened: ERROR assertion: byte == 'a'
expect with -- closed: ERROR assertion: !status
expect with -- pipe: VERIFIED no error in any schedule
expect with -- back: VERIFIED no error in any schedule
*/
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *mode = "";
static int ends[2], file;

static int is(const char *name) { return !strcmp(mode, name); }

static void *print(void *text)
{
    if (is("closed") && *(char *)text == 'b') return close(1), NULL;
    printf("%s", (char *)text);
    int status = fflush(stdout);
    assert(!status);
    return NULL;
}

static void lead_elsewhere(void)
{
    if (is("file")) file = open("standard-output.tmp", O_CREAT | O_TRUNC | O_RDWR, 0600), dup2(file, 1);
    if (is("reopened")) file = 1, freopen("standard-output.tmp", "w+", stdout);
    if (is("pipe")) pipe(ends), dup2(ends[1], 1);
    if (is("back")) {
        int kept = dup(1);
        pipe(ends);
        dup2(ends[1], 1);
        dup2(kept, 1);
    }
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    char byte = 'a';
    if (argc > 1) mode = argv[1];
    lead_elsewhere();
    pthread_create(&t[0], NULL, print, "a");
    if (!is("pipe")) pthread_create(&t[1], NULL, print, "b");
    if (is("pipe")) read(ends[0], &byte, 1);
    pthread_join(t[0], NULL);
    if (!is("pipe")) pthread_join(t[1], NULL);
    if (file) pread(file, &byte, 1, 0);
    assert(byte == 'a');
    return 0;
}
