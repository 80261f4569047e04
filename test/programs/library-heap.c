/* What the C library reads and writes on the program's behalf is checked like the program's own accesses: after free,
and beyond the end of a block. Without an argument everything is right.
expect: VERIFIED no error in any schedule$
expect with -- printf: ERROR memory: read of 1 bytes after free
expect with -- puts: ERROR memory: read of 1 bytes after free
expect with -- sprintf: ERROR memory: read of 1 bytes after free
expect with -- atoi: ERROR memory: read of \d+ bytes after free
expect with -- write: ERROR memory: read of 4 bytes after free
expect with -- overflow: ERROR memory: write of 12 bytes at offset 0 of a heap block of 8 bytes
expect with -- scanned: ERROR memory: write of \d+ bytes (at offset 0|beyond)
expect with -- closed: ERROR memory: write of 1 bytes after free
*/
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *mode = "";
static int is(const char *name) { return !strcmp(mode, name); }
static void *uses(void *a)
{
    char *block = a, text[64];
    if (is("printf")) printf("<%5.8s>\n", block);
    if (is("puts")) puts(block);
    if (is("sprintf")) sprintf(text, "%d %s", 1, block);
    if (is("atoi")) return (void *)(long)atoi(block);
    if (is("write")) return (void *)(long)write(1, block, 4);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t;
    mode = argc > 1 ? argv[1] : "";
    char *block = malloc(8);
    strcpy(block, "1234567");
    printf("%s %d %*d %.3s %c%% %lf %p %ld\n", block, 1, 5, 2, block, 'c', 1.5, (void *)block, 3l);
    if (is("overflow")) sprintf(block, "%d", -1234567890 + (argc > 5)), printf("not reached\n");
    if (is("scanned")) sscanf("123456789", "%s", block);
    sscanf("abcdefg 17 x", "%7s %*d %c", block, block);
    snprintf(block, 8, "%d", 1234567890);
    FILE *f = fopen("/dev/null", "w");
    fputs(block, f);
    fclose(f);
    if (is("closed")) fputc('x', f);
    if (argc > 1) free(block);
    pthread_create(&t, 0, uses, block);
    pthread_join(t, 0);
    if (argc == 1) free(block);
    return 0;
}
