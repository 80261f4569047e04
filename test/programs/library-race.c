/* Races on memory that the C library reads or writes for the program. With a lock (no argument) there is none.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule$
expect with -- snprintf: ERROR race
expect with -- sscanf: ERROR race
expect with -- strtol: ERROR race
expect with -- qsort: ERROR race
expect with -- getcwd: ERROR race
expect with -- fgets: ERROR race
expect with -- fwrite: ERROR race
expect with -- read: ERROR race
expect with -- pread: ERROR race
expect with -- write: ERROR race
expect with -- printf: ERROR race
expect with -- strftime: ERROR race
expect with -- wide: ERROR race
expect with -- mktime: ERROR race
*/
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[256] = "12 34";
static wchar_t wide[8] = L"abc";
static int numbers[4] = {3, 1, 2, 0}, file;
static struct tm when = {.tm_year = 100, .tm_mday = 1};
static FILE *in, *out;
static const char *mode = "";
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int is(const char *name) { return !*mode || !strcmp(mode, name); }
static void *works(void *a)
{
    int n = 0;
    if (!*mode) pthread_mutex_lock(&m);
    if (is("snprintf")) snprintf(text, sizeof text, "%d", *(int *)a);
    if (is("sscanf")) sscanf("17", "%d", &numbers[0]);
    if (is("strtol")) a ? n = (int)strtol(text, NULL, 10) : (text[0] = '7');
    if (is("qsort")) qsort(numbers, 4, sizeof *numbers, less);
    if (is("getcwd")) getcwd(text, sizeof text);
    if (is("fgets")) fgets(text, sizeof text, in);
    if (is("fwrite")) a ? fwrite(text, 1, 4, out) : (text[1] = '7', 0ul);
    if (is("read")) read(file, text, 4);
    if (is("pread")) pread(file, text, 4, 0);
    if (is("write")) a ? write(1, text, 4) : (text[2] = '7', 0l);
    if (is("printf")) a ? printf("%s", text) : (text[2] = '7', 0);
    if (is("strftime")) strftime(text, sizeof text, "%Y", &when);
    if (is("wide")) wcscpy(wide, L"cd");
    if (is("mktime")) mktime(&when);
    if (!*mode) pthread_mutex_unlock(&m);
    return (void *)(long)n;
}
int main(int argc, char **argv)
{
    pthread_t t;
    int one = 1;
    mode = argc > 1 ? argv[1] : "";
    in = fopen("/etc/passwd", "r");
    out = fopen("/dev/null", "w");
    file = open("/etc/passwd", O_RDONLY);
    pthread_create(&t, 0, works, is("snprintf") || is("qsort") ? &one : 0);
    works(&one);
    pthread_join(t, 0);
    return 0;
}
