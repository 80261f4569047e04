/* The engines of `heddle check`, in the order in which they are asked whether they take an input. */
#include "cli/cli.h"

const struct engine *const engines[] = {NULL};
const size_t engine_count = 0;
