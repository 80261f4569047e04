/* What lies before a block is not behind the one before it.
expect: ERROR memory: read of 4 bytes, 4 before a heap block of 8 bytes at
*/
#include <stdlib.h>
int main(void)
{
    void *other = malloc(3000);
    int *p = calloc(2, sizeof *p), before = p[-1];
    free(p);
    free(other);
    return before == 123;
}
