#include "formats/base/read_whole.h"

enum { STEP_BYTES = 256 << 10 };

int read_rest(struct input_file *file, size_t limit, struct buffer *bytes,
              struct fault *fault)
{
    size_t got;
    do {
        buffer_reserve(bytes, STEP_BYTES);
        int rc = input_file_read(file, bytes->data + bytes->len, STEP_BYTES, &got, fault);
        if (rc < 0)
            return rc;
        bytes->len += got;
        if (bytes->len > limit)
            return fault_set(fault, STATUS_LIMIT, "%s: more than %zu bytes",
                             input_file_name(file), limit);
    } while (got > 0);
    return STATUS_OK;
}

int read_whole(const char *path, size_t limit, struct buffer *bytes, struct fault *fault)
{
    struct input_file *file = NULL;
    int rc = input_file_open(&file, path, fault);
    if (rc == STATUS_OK)
        rc = read_rest(file, limit, bytes, fault);
    input_file_close(file);
    return rc;
}
