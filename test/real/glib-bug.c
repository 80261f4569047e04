/* The same, with a flag that is set without the mutex.
needs: glib.h
package: glib-2.0
expect: ERROR race: .*glib.c:
*/
#define BUG
#include "glib.c"
