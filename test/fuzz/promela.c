/* libFuzzer target for the Promela front end; `make fuzz` builds and runs it. */
#include "read_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_text((const char *)data, size);
    return 0;
}
