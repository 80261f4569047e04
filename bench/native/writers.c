/* N threads write one variable: the writes can come in N! orders. */
#define THREADS N
#include "crowd.h"

static atomic_int x;

static void act(int number) { atomic_store(&x, number + 1); }
