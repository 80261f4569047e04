/* The same without a word.
expect: ERROR race
*/
#define SILENT
#include "annotations.c"
