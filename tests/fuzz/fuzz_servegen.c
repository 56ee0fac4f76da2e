/* Any bytes as the dataset of a ServeGen client: what is read has ascending weights and
 * lengths that can be sent. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/servegen_dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_histogram(const struct servegen_histogram *histogram)
{
    for (size_t i = 0; i < histogram->count; i++) {
        double before = i == 0 ? 0 : histogram->cumulated[i - 1];
        if (histogram->lengths[i] < 1 || !(histogram->cumulated[i] >= before))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct fault fault = { 0 };
    struct servegen_client client = { 0 };
    int fd = memfd_create("dataset", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int rc = servegen_load_dataset(&client, path, &fault);
    if ((rc == STATUS_OK) != (fault.text[0] == '\0'))
        abort();
    for (size_t i = 0; i < client.lengths_count; i++) {
        check_histogram(&client.lengths[i].input);
        check_histogram(&client.lengths[i].output);
        servegen_histogram_release(&client.lengths[i].input);
        servegen_histogram_release(&client.lengths[i].output);
    }
    free(client.lengths);
    close(fd);
    return 0;
}
