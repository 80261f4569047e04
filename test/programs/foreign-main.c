/* main() was built without heddle: its threads are under control, its own accesses are not seen.
 * plain: main.c
 * expect: BOUNDED no error in any schedule, not observed: main\(\) in main.o, built without heddle cc$
 * warns: build these objects with heddle cc; if they are left over from another build, remove them first (make clean)
 * whole: ERROR race
 */
int counter;
void *work(void *a);

void *work(void *a)
{
    counter++;
    return a;
}
