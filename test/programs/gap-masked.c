/* Vector accesses of which a mask says what they touch.
 * flags: -O1 -mavx2
 * expect: VERIFIED no error in any schedule$
 * expect with -- store: ERROR race
 * expect with -- load: ERROR race
 * expect with -- bytes: ERROR race
 * expect with -- other: VERIFIED no error in any schedule$
 */
#include <immintrin.h>
#include <pthread.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *mode = "";
int numbers[8];
char bytes[16];
static _Thread_local volatile int seen;
static int is(const char *name) { return !*mode || !strcmp(mode, name); }
__attribute__((noinline)) static void accesses(void)
{
    static volatile int chosen[2][8] = {{0, 0, 0, -1, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, -1}};
    __m256i third = _mm256_loadu_si256((const __m256i_u *)chosen[0]);
    __m256i last = _mm256_loadu_si256((const __m256i_u *)chosen[1]);
    if (is("store")) _mm256_maskstore_epi32(numbers, third, third);
    if (is("load")) seen = _mm256_extract_epi32(_mm256_maskload_epi32(numbers, third), 3);
    if (is("bytes")) _mm_maskmoveu_si128(_mm_set1_epi8(1), _mm_set1_epi8(-1), bytes);
    if (is("other")) _mm256_maskstore_epi32(numbers, last, last);
}
static void *works(void *a)
{
    if (!*mode) pthread_mutex_lock(&m);
    if (a) accesses();
    else numbers[3] = 2, bytes[7] = 2;
    if (!*mode) pthread_mutex_unlock(&m);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    pthread_create(&t, NULL, works, argv);
    works(NULL);
    return pthread_join(t, NULL);
}
