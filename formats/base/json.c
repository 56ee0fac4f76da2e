#include "formats/base/json.h"

#include <math.h>

#include "formats/base/input_file.h"
#include "formats/base/output_file.h"

/* Manifests and option files are small; a document beyond this is a mistake. */
enum { JSON_FILE_MAX = 256 * 1024 * 1024 };

static int read_all(struct input_file *file, struct buffer *content, struct fault *fault)
{
    enum { STEP = 64 * 1024 };
    size_t got = 0;
    do {
        buffer_reserve(content, STEP);
        int status =
            input_file_read(file, content->data + content->len, STEP, &got, fault);
        if (status < 0)
            return status;
        content->len += got;
        if (content->len > JSON_FILE_MAX)
            return fault_set(fault, STATUS_LIMIT, "%s: larger than %d bytes",
                             input_file_name(file), JSON_FILE_MAX);
    } while (got > 0);
    return STATUS_OK;
}

int json_read_file(const char *path, json_t **document, struct fault *fault)
{
    struct input_file *file = NULL;
    struct buffer content = BUFFER_INIT;
    int status = input_file_open(&file, path, fault);
    if (status < 0)
        goto done;
    status = read_all(file, &content, fault);
    if (status < 0)
        goto done;
    json_error_t error;
    json_t *parsed =
        json_loadb(buffer_text(&content), content.len, JSON_REJECT_DUPLICATES, &error);
    if (parsed == NULL)
        status = fault_set(fault, STATUS_BAD_INPUT, "%s: line %d, column %d: %s",
                           input_file_name(file), error.line, error.column, error.text);
    else
        *document = parsed;
done:
    buffer_release(&content);
    input_file_close(file);
    return status;
}

int json_write_stream(const json_t *document, FILE *stream, struct fault *fault)
{
    struct buffer text = BUFFER_INIT;
    buffer_append_json(&text, document, 0);
    buffer_append_byte(&text, '\n');
    int status = STATUS_OK;
    if (fwrite(text.data, 1, text.len, stream) != text.len)
        status = fault_set_errno(fault, "cannot write JSON");
    buffer_release(&text);
    return status;
}

int json_write_file(const json_t *document, const char *path, bool force,
                    struct fault *fault)
{
    struct output_file file;
    int status = output_file_open(&file, path, force ? OUTPUT_FORCE : 0, fault);
    if (status < 0)
        return status;
    status = json_write_stream(document, file.stream, fault);
    if (status < 0) {
        output_file_abandon(&file);
        return status;
    }
    return output_file_commit(&file, fault);
}

json_t *json_number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}
