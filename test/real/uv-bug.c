/* The same, with a variable that the worker and the loop change at once.
needs: uv.h
link: -luv
environment: UV_THREADPOOL_SIZE=1
expect: ERROR (race|assertion): .*worked
*/
#define BUG
#include "uv.c"
