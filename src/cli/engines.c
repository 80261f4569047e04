/* The engines of `heddle check`, in the order in which they are asked whether they take an input. */
#include "cli/cli.h"

extern const struct engine engine_explicit, engine_native, symbolic_engine;

const struct engine *const engines[] = {&engine_explicit, &engine_native, &symbolic_engine};
const size_t engine_count = ARRAY_LEN(engines);
