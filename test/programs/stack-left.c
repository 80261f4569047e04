/* The same of a function that has returned, while nothing else lies there.
flags: -O0
expect: ERROR memory: (read|write) of 4 bytes of a function that has returned at .*stack-left.c:17
*/
static int *where;
static __attribute__((noinline)) void leave(int n)
{
    int local[500]; /* more than what is called between here and the check takes */
    local[n] = n;
    where = &local[n];
}
int main(void)
{
    leave(1);
    int *p = where;
    if (p)
        *p = 1;
}
