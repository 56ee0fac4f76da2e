/* Any bytes as OTel spans, and as ShareGPT conversations. */
#include "trace_fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace(data, size, REQUESTS_OTEL);
    fuzz_trace(data, size, REQUESTS_SHAREGPT);
    return 0;
}
