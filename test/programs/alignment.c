/* Arguments of allocating functions that the standard does not allow; posix_memalign() returns EINVAL.
flags: -O1 -Wno-attributes -Wno-non-power-of-two-alignment -fno-builtin
expect with --sequential: VERIFIED 
expect with -- power: ERROR misuse: aligned_alloc\(\): the alignment 24 is not a power of two
expect with --sequential -- size: VERIFIED
expect with -- negative: ERROR misuse: malloc\(\): the size is negative \(-8\)
expect with -- shrink: ERROR misuse: realloc\(\): the size is negative \(-8\)
expect with -- memalign: ERROR misuse: memalign\(\): the alignment 48 is not a power of two
*/
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "right";
    void *p, *q = aligned_alloc(!strcmp(how, "power") ? 24 : 64,
                                !strcmp(how, "size") ? 100 : !strcmp(how, "power") ? 48 : 128);
    void *r = memalign(!strcmp(how, "memalign") ? 48 : 64, 100);
    assert(posix_memalign(&p, 24, 100) == EINVAL && posix_memalign(&p, 4, 100) == EINVAL);
    assert(!posix_memalign(&p, 64, 100) && (size_t)p % 64 == 0 && (size_t)q % 64 == 0 && (size_t)r % 64 == 0);
    free(p), free(q), free(r);
    long size = !strcmp(how, "negative") || !strcmp(how, "shrink") ? -8 : 8;
    free(!strcmp(how, "negative") ? malloc((size_t)size) : realloc(NULL, (size_t)size));
    return 0;
}
