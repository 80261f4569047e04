/* With --races=explore a call that copies reads what it copies in its last step, which others' writes must not pass.
With an argument the ranges are longer than one access can be.
expect: ERROR race
expect with --races=explore: VERIFIED
expect with --races=explore -- long: VERIFIED
expect with --races=explore --verify=swap: VERIFIED
expect with --races=explore --verify=swap -- long: VERIFIED
expect with --races=explore --verify: VERIFIED
*/
#include <pthread.h>
#include <string.h>
static char bytes[128];
static int size = 9;
static void *fills(void *a)
{
    memset(bytes + 2, 4, (size_t)size);
    return a;
}
static void *copies(void *a)
{
    memmove(bytes + 2 + size, bytes + 5, (size_t)size);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    (void)argv;
    if (argc > 1) size = 40;
    pthread_create(&t[0], 0, fills, 0);
    pthread_create(&t[1], 0, copies, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
