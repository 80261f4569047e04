/* A library writes to a block that was freed, by a function for which the runtime has no row, in the start.
 * expect: ERROR memory: (read|write) of 1 bytes after free
 * expect with --audit=off: UNKNOWN no thread was created
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = malloc(4);
    free(text);
    memfrob(text, 4);
    return 0;
}
