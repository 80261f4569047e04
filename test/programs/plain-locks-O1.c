/* The same as compilers make it of plain-locks.c with -O1.
flags: -O1
expect with --races=explore -- split 2: VERIFIED no error in any schedule
expect with --races=explore -- dekker 2: VERIFIED no error in any schedule
expect with --races=explore -- fast 2: VERIFIED no error in any schedule
expect with --races=explore -- split 2 bug: ERROR assertion: in == 1
*/
#include "plain-locks.c"
