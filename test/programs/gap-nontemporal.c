/* Stores past the caches are instrumented by no compiler.
 * flags: -O1 -msse4.1
 * expect: VERIFIED no error in any schedule$
 * expect with -- 4: ERROR race
 * expect with -- 8: ERROR race
 * expect with -- 16: ERROR race
 * expect with -- double: ERROR race
 * expect with -- load: ERROR race
 */
#include <immintrin.h>
#include <pthread.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *mode = "";
int four;
long long eight;
__m128i sixteen;
__m128d two;
static _Thread_local volatile int seen;
static int is(const char *name) { return !*mode || !strcmp(mode, name); }
__attribute__((noinline)) static void stores(void)
{
    if (is("4")) _mm_stream_si32(&four, 1);
    if (is("8")) _mm_stream_si64(&eight, 1);
    if (is("16")) _mm_stream_si128(&sixteen, _mm_set1_epi32(1));
    if (is("double")) _mm_stream_pd((double *)&two, _mm_set1_pd(1));
    if (is("load")) seen = _mm_extract_epi32(_mm_stream_load_si128(&sixteen), 0);
    _mm_sfence();
}
static void *works(void *a)
{
    if (!*mode) pthread_mutex_lock(&m);
    if (a) stores();
    else four = 2, eight = 2, sixteen = _mm_setzero_si128(), two = _mm_setzero_pd();
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
