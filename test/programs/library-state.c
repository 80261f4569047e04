/* Memory that the C library reads or writes for the program, and what it keeps between two calls, in ways that only the
   call tells. With a lock (no argument) there is no error.
flags: -O1 -Wno-unused-result -Wno-format
link: -lm
expect: VERIFIED no error in any schedule$
expect with -- regexec: ERROR race
expect with -- numbered: ERROR race
expect with -- numbered-scan: ERROR race
expect with -- setvbuf: ERROR race
expect with -- memstream: ERROR race
expect with -- fmemopen: ERROR race
expect with -- mbrtowc: ERROR race
expect with -- iconv: ERROR race
expect with -- hsearch: ERROR race
expect with -- lgamma: ERROR race
expect with -- putenv: ERROR race
expect with -- environ: ERROR race
expect with -- stat: ERROR race
expect with -- fstat: ERROR race
*/
#define _GNU_SOURCE
#include <iconv.h>
#include <math.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *mode = "";
static regex_t expression;
static regmatch_t matches[2];
static char text[32] = "one", buffer[BUFSIZ], memory[64], setting[] = "SETTING=1";
static char *grown;
static size_t grown_size;
static FILE *out, *grows, *fixed;
static iconv_t converter;
static struct stat state;
static _Thread_local volatile long seen;
static int is(const char *name) { return !*mode || !strcmp(mode, name); }
static void converts(void)
{
    char from[] = "x", to[8], *in = from, *into = to;
    size_t left = 1, room = sizeof to;
    iconv(converter, &in, &left, &into, &room);
}
static void searches(void) { seen = hsearch((ENTRY){"key", "value"}, ENTER) != NULL; }
static void first(void)
{
    wchar_t c;
    if (is("regexec")) regexec(&expression, "abc", 2, matches, 0);
    if (is("numbered")) snprintf(buffer, sizeof buffer, "%2$s %1$d", 1, text);
    if (is("numbered-scan")) sscanf("7 x", "%2$d %1$s", text + 8, (int *)(text + 16));
    if (is("setvbuf")) fputs("x", out);
    if (is("memstream")) fputs("x", grows), fflush(grows);
    if (is("fmemopen")) fputs("x", fixed), fflush(fixed);
    if (is("mbrtowc")) mbrtowc(&c, "x", 1, NULL);
    if (is("iconv")) converts();
    if (is("hsearch")) searches();
    if (is("lgamma")) seen = lgamma(0.5) > 0;
    if (is("putenv")) seen = getenv("SETTING") != NULL;
    if (is("environ")) setenv("ANOTHER", "1", 1);
    if (is("stat")) stat(".", &state);
    if (is("fstat")) fstat(0, &state);
}
static void second(void)
{
    wchar_t c;
    if (is("regexec")) seen = matches[0].rm_so;
    if (is("numbered")) text[1] = 'N';
    if (is("numbered-scan")) seen = text[16];
    if (is("setvbuf")) seen = buffer[0];
    if (is("memstream")) seen = (long)grown_size;
    if (is("fmemopen")) seen = memory[0];
    if (is("mbrtowc")) mbrtowc(&c, "y", 1, NULL);
    if (is("iconv")) converts();
    if (is("hsearch")) searches();
    if (is("lgamma")) seen = signgam;
    if (is("putenv")) setting[0] = 's';
    if (is("environ")) seen = environ[0] != NULL;
    if (is("stat")) seen = state.st_size;
    if (is("fstat")) seen = state.st_size;
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
    regcomp(&expression, "b", 0);
    out = fopen("/dev/null", "w");
    setvbuf(out, buffer, _IOFBF, sizeof buffer);
    grows = open_memstream(&grown, &grown_size);
    fixed = fmemopen(memory, sizeof memory, "w");
    converter = iconv_open("UTF-16", "UTF-8");
    hcreate(8);
    putenv(setting);
    setenv("OTHER", "1", 1);
    pthread_create(&t, NULL, works, (void *)1);
    works(NULL);
    return pthread_join(t, NULL);
}
