/* Any bytes as each of the CSV formats. */
#include "trace_fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace(data, size, REQUESTS_AUTO);
    fuzz_trace(data, size, REQUESTS_AZURE);
    fuzz_trace(data, size, REQUESTS_BURSTGPT);
    fuzz_trace(data, size, REQUESTS_LENGTHS);
    return 0;
}
