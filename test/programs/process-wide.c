/* What the C library keeps for the whole process: the order of two calls of rand() decides what they return. Two calls
whose order does not matter to the program are no error.
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with -- rand: ERROR assertion
expect with -- seed: ERROR assertion
expect with -- random: ERROR assertion
expect with -- strtok: ERROR race: .*libc_strtok
expect with -- locale: ERROR race: .*libc_locale
*/
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *mode = "";
static long mine, other;
static int is(const char *s) { return !strcmp(mode, s); }
static void *works(void *a)
{
    char text[8] = "a b", number[16];
    long *to = a;
    if (is("random")) *to = random();
    else if (is("seed") && to == &other) srand(7);
    else if (is("strtok")) strtok(text, " ");
    else if (is("locale")) to == &mine ? (void)strtod("1.5", 0) : (void)setlocale(LC_ALL, "C");
    else *to = rand();
    snprintf(number, sizeof number, "%ld", *to);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t;
    mode = argc > 1 ? argv[1] : "";
    srand(1);
    long expected = rand();
    srand(1);
    pthread_create(&t, 0, works, &other);
    works(&mine);
    pthread_join(t, 0);
    if (is("rand") || is("seed")) assert(mine == expected);
    else if (is("random")) assert(mine == expected);
    else if (!*mode) assert(mine != other && (mine == expected || other == expected));
    return 0;
}
