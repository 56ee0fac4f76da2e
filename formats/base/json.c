#include "formats/base/json.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

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
    if (json_dumpf(document, stream, JSON_INDENT(2)) != 0 || fputc('\n', stream) == EOF)
        return fault_set_errno(fault, "cannot write JSON");
    return STATUS_OK;
}

int json_write_file(const json_t *document, const char *path, bool force, struct fault *fault)
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

/* Bytes of the UTF-8 sequence at text[0..len), len > 0; 0 when it is not well formed (Unicode 15, table
 * 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). */
static size_t utf8_sequence_len(const unsigned char *text, size_t len)
{
    unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || wanted > len)
        return 0;
    unsigned char lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < lowest || text[1] > highest)
        return 0;
    for (size_t i = 2; i < wanted; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return wanted;
}

static void append_escaped(struct buffer *buffer, unsigned char byte)
{
    switch (byte) {
    case '"':
        buffer_append_text(buffer, "\\\"");
        break;
    case '\\':
        buffer_append_text(buffer, "\\\\");
        break;
    case '\n':
        buffer_append_text(buffer, "\\n");
        break;
    case '\r':
        buffer_append_text(buffer, "\\r");
        break;
    case '\t':
        buffer_append_text(buffer, "\\t");
        break;
    default:
        buffer_printf(buffer, "\\u%04x", byte);
    }
}

void buffer_append_json_string(struct buffer *buffer, const char *text, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t plain_from = 0;
    buffer_append_byte(buffer, '"');
    for (size_t i = 0; i < len;) {
        size_t sequence = utf8_sequence_len(bytes + i, len - i);
        bool plain = sequence > 0 && bytes[i] >= 0x20 && bytes[i] != '"' && bytes[i] != '\\';
        if (!plain) {
            buffer_append(buffer, text + plain_from, i - plain_from);
            if (sequence == 0)
                buffer_append_text(buffer, "\xef\xbf\xbd");
            else
                append_escaped(buffer, bytes[i]);
            plain_from = i + 1;
        }
        i += plain ? sequence : 1;
    }
    buffer_append(buffer, text + plain_from, len - plain_from);
    buffer_append_byte(buffer, '"');
}

void buffer_append_json_number(struct buffer *buffer, double value)
{
    if (!isfinite(value)) {
        buffer_append_text(buffer, "null");
        return;
    }
    enum { DIGITS_LEAST = 15, DIGITS_EXACT = 17, NUMBER_MAX = 32 };
    char text[NUMBER_MAX];
    int digits = DIGITS_LEAST;
    do {
        snprintf(text, sizeof text, "%.*g", digits, value);
    } while (strtod(text, NULL) != value && digits++ < DIGITS_EXACT);
    buffer_append_text(buffer, text);
}
