/* Any bytes as another tool's per-request export: no crash, and what is returned can be
 * stored in an arrival log: times in range, in order, as many as announced. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/aiperf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_request(const struct arrival_request *request)
{
    if (!run_time_is_stored(request->sent_ns) || request->outcome >= OUTCOMES ||
        request->event_count > REQUEST_EVENTS_MAX)
        abort();
    for (size_t i = 0; i < request->event_count; i++) {
        if (!run_time_is_stored(request->events[i].arrival_ns))
            abort();
        if (i > 0 && request->events[i].arrival_ns < request->events[i - 1].arrival_ns)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("aiperf", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);

    struct aiperf_reader *reader = NULL;
    struct arrival_request request;
    struct fault fault = { 0 };
    aiperf_is(path);
    int got = aiperf_reader_open(&reader, path, &fault);
    while (got >= 0 && (got = aiperf_reader_next(reader, &request, &fault)) > 0)
        check_request(&request);
    if ((got < 0) != (fault.text[0] != '\0'))
        abort();
    aiperf_reader_close(reader);
    close(fd);
    return 0;
}
