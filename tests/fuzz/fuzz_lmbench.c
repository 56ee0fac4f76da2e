/* Any bytes as a file of LMBenchmark: refused, or samples whose moments are in order. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/lmbench.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_samples(const struct collection *collection)
{
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->sent_ns < 0 || sample->end_ns < sample->sent_ns)
            abort();
        if (sample->output_tokens > 0 && (sample->arrival.first_ns < sample->sent_ns ||
                                          sample->arrival.last_ns != sample->end_ns))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct collection collection = { 0 };
    struct fault fault = { 0 };
    int fd = memfd_create("lmbench", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (lmbench_read(&collection, path, &fault) == STATUS_OK)
        check_samples(&collection);
    collection_release(&collection);
    close(fd);
    return 0;
}
