/* The engines of `heddle check`, in the order in which they are asked whether they take an input. */
#include "check/check.h"

#include <string.h>

extern const struct engine engine_explicit, engine_native, symbolic_engine;

const struct engine *const engines[] = {&engine_explicit, &engine_native, &symbolic_engine};
const size_t engine_count = ARRAY_LEN(engines);

const struct engine *engine_named(const char *name)
{
    for (size_t i = 0; i < engine_count; i++)
        if (!strcmp(engines[i]->name, name)) return engines[i];
    return NULL;
}
