/* Vector accesses whose addresses are in a vector are named.
 * flags: -O1 -mavx2
 * expect: BOUNDED no error in any schedule, as far as it is under control
 * warns: a vector instruction with a mask or with indices
 */
#include <immintrin.h>
#include <pthread.h>
int numbers[8];
static _Thread_local volatile int seen;
static void *works(void *a)
{
    __m256i third = _mm256_set1_epi32(3);
    if (!a) numbers[3] = 2;
    else seen = _mm256_extract_epi32(_mm256_i32gather_epi32(numbers, third, 4), 3);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    (void)argc;
    pthread_create(&t, NULL, works, argv);
    works(NULL);
    return pthread_join(t, NULL);
}
