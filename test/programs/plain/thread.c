/* The start function of a thread, which calls a function of the same object. */
extern int counter;
void *run(void *a);
int twice_of(int n);

__attribute__((noinline)) int twice_of(int n) { return 2 * n; }

void *run(void *a)
{
    counter += twice_of(1);
    return a;
}
