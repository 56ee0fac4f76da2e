#include "formats/requests_detect.h"

#include <stdbool.h>
#include <string.h>

#include "formats/base/json_scan.h"

enum { KEYS_READ_MAX = 64, SHOWN_MAX = 60 };

/* A format is known by keys or columns that all must be there; the first that fits is
 * it. */
struct signature {
    enum request_format format;
    const char *names[3];
};

static const struct signature csv_signatures[] = {
    { REQUESTS_AZURE, { "ContextTokens", "GeneratedTokens" } },
    { REQUESTS_BURSTGPT, { "Request tokens", "Response tokens" } },
    { REQUESTS_LENGTHS, { "num_prefill_tokens", "num_decode_tokens" } },
    { 0 },
};

static const struct signature json_signatures[] = {
    { REQUESTS_OTEL, { "spans" } },
    { REQUESTS_OTEL, { "resourceSpans" } },
    { REQUESTS_OTEL, { "attributes" } },
    { REQUESTS_OTEL, { "start_time_iso" } },
    { REQUESTS_SHAREGPT, { "conversations" } },
    { REQUESTS_QWEN, { "chat_id", "input_length" } },
    { REQUESTS_SESSIONS, { "session_id", "input_length" } },
    { REQUESTS_SESSIONS, { "session_id", "delay" } },
    { REQUESTS_MOONCAKE, { "timestamp", "input_length" } },
    { REQUESTS_NDJSON, { "input_tokens", "output_tokens" } },
    { 0 },
};

struct word {
    const char *text;
    size_t len;
};

static bool words_have(const struct word *words, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i].len == strlen(name) &&
            memcmp(words[i].text, name, words[i].len) == 0)
            return true;
    }
    return false;
}

static enum request_format match(const struct signature *signatures,
                                 const struct word *words, size_t count)
{
    for (; signatures->format != REQUESTS_AUTO; signatures++) {
        size_t found = 0;
        while (found < 3 && signatures->names[found] != NULL
               && words_have(words, count, signatures->names[found]))
            found++;
        if (found == 3 || signatures->names[found] == NULL)
            return signatures->format;
    }
    return REQUESTS_AUTO;
}

/* Keys of the first object; of the first element where the text starts with an array. */
static size_t first_keys(struct json_scan *scan, struct word words[KEYS_READ_MAX])
{
    size_t count = 0;
    if (json_scan_next(scan) == JSON_SCAN_ARRAY)
        json_scan_next(scan);
    if (scan->token != JSON_SCAN_OBJECT)
        return 0;
    while (count < KEYS_READ_MAX && json_scan_next(scan) == JSON_SCAN_KEY) {
        words[count++] = (struct word){ scan->value, scan->value_len };
        json_scan_next(scan);
        if (!json_scan_skip(scan))
            break;
    }
    return count;
}

static size_t header_names(const char *text, size_t len, struct word words[KEYS_READ_MAX])
{
    size_t count = 0;
    size_t start = 0;
    for (size_t i = 0; i <= len && count < KEYS_READ_MAX; i++) {
        if (i < len && text[i] != ',')
            continue;
        struct word word = { text + start, i - start };
        if (word.len >= 2 && word.text[0] == '"' && word.text[word.len - 1] == '"')
            word = (struct word){ word.text + 1, word.len - 2 };
        words[count++] = word;
        start = i + 1;
    }
    return count;
}

static size_t first_line_len(const char *text, size_t len)
{
    const char *newline = memchr(text, '\n', len);
    size_t line = newline != NULL ? (size_t)(newline - text) : len;
    return line > 0 && text[line - 1] == '\r' ? line - 1 : line;
}

static int refuse_unknown(const char *bytes, size_t line, const char *name,
                          struct fault *fault)
{
    return fault_set(fault, STATUS_BAD_INPUT,
                     "%s:1:1: starts with \"%.*s%s\", expected the header or keys of a "
                     "known "
                     "request trace (or --format)",
                     name, (int)(line < SHOWN_MAX ? line : SHOWN_MAX), bytes,
                     line > SHOWN_MAX ? "..." : "");
}

static int detect_csv(const char *bytes, size_t line, const char *name,
                      enum request_format *format, struct fault *fault)
{
    struct word words[KEYS_READ_MAX];
    *format = match(csv_signatures, words, header_names(bytes, line, words));
    return *format != REQUESTS_AUTO ? STATUS_OK : refuse_unknown(bytes, line, name,
                                                                 fault);
}

static int detect_json(const char *bytes, size_t len, size_t line, const char *name,
                       enum request_format *format, struct fault *fault)
{
    struct word words[KEYS_READ_MAX];
    struct json_scan scan;
    json_scan_init(&scan, bytes, len);
    *format = match(json_signatures, words, first_keys(&scan, words));
    if (*format != REQUESTS_AUTO)
        return STATUS_OK;
    size_t offset = json_scan_offset(&scan);
    if (scan.problem == NULL || offset >= line)
        return refuse_unknown(bytes, line, name, fault);
    return fault_set(fault, STATUS_BAD_INPUT, "%s:1:%zu: %s, expected JSON", name,
                     offset + 1, scan.problem);
}

int requests_detect(const char *bytes, size_t len, const char *name,
                    enum request_format *format, struct fault *fault)
{
    if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        len -= 3;
    }
    size_t line = first_line_len(bytes, len);
    const char *nul = memchr(bytes, 0, line);
    if (nul != NULL)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "%s:1:%zu: a NUL byte, expected a request trace as text", name,
                         (size_t)(nul - bytes) + 1);
    size_t space = 0;
    while (space < len && memchr(" \t\r\n", bytes[space], 4) != NULL)
        space++;
    if (space < len && (bytes[space] == '{' || bytes[space] == '['))
        return detect_json(bytes, len, line, name, format, fault);
    return detect_csv(bytes, line, name, format, fault);
}
