#include "replay/length_law.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "formats/base/buffer.h"
#include "formats/base/units.h"
#include "formats/requests_read.h"
#include "replay/random_laws.h"

void length_law_release(struct length_law *law)
{
    request_trace_release(&law->file);
}

/* "A,B", both numbers. */
static bool parse_pair(const char *text, double *a, double *b)
{
    const char *comma = strchr(text, ',');
    struct fault ignored = { 0 };
    struct buffer first = BUFFER_INIT;
    if (comma == NULL)
        return false;
    buffer_append(&first, text, (size_t)(comma - text));
    bool good = units_parse_float(buffer_text(&first), a, &ignored) == STATUS_OK
                && units_parse_float(comma + 1, b, &ignored) == STATUS_OK;
    buffer_release(&first);
    return good;
}

static bool in_bounds(const struct length_law *law)
{
    bool first = law->a >= 1 && law->a <= REQUEST_TOKENS_MAX;
    switch (law->kind) {
    case LENGTH_UNIFORM:
        return first && law->b >= law->a && law->b <= REQUEST_TOKENS_MAX
               && law->a == floor(law->a) && law->b == floor(law->b);
    case LENGTH_NORMAL:
    case LENGTH_LOGNORMAL:
        return first && law->b >= 0 && law->b <= REQUEST_TOKENS_MAX;
    default:
        return first;
    }
}

/* True when `text` is "NAME:A,B" with a name of a law. */
static bool parse_named(struct length_law *law, const char *text, bool *good)
{
    static const struct {
        const char *prefix;
        enum length_kind kind;
    } laws[] = {
        { "uniform:", LENGTH_UNIFORM },
        { "normal:", LENGTH_NORMAL },
        { "lognormal:", LENGTH_LOGNORMAL },
    };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        size_t len = strlen(laws[i].prefix);
        if (strncmp(text, laws[i].prefix, len) != 0)
            continue;
        law->kind = laws[i].kind;
        *good = parse_pair(text + len, &law->a, &law->b) && in_bounds(law);
        return true;
    }
    return false;
}

int length_law_parse(struct length_law *law, const char *option, const char *text,
                     struct fault *fault)
{
    static const struct requests_read_options read_options = { .format = REQUESTS_AUTO };
    struct fault ignored = { 0 };
    int64_t number;
    bool good = true;
    *law = (struct length_law){ .kind = LENGTH_CONSTANT };
    if (units_parse_int(text, &number, &ignored) == STATUS_OK) {
        law->a = (double)number;
        good = in_bounds(law);
    } else if (!parse_named(law, text, &good)) {
        law->kind = LENGTH_FILE;
        return requests_read(&law->file, text, &read_options, fault);
    }
    if (good)
        return STATUS_OK;
    return fault_set(fault, STATUS_USAGE,
                     "--%s: \"%s\", expected N, uniform:A,B, normal:MEAN,SD, "
                     "lognormal:MEAN,SD or a FILE, lengths from 1 to %d",
                     option, text, REQUEST_TOKENS_MAX);
}

static double draw_once(const struct length_law *law, struct random_stream *stream)
{
    switch (law->kind) {
    case LENGTH_UNIFORM:
        return law->a + random_below(stream, (uint32_t)(law->b - law->a) + 1);
    case LENGTH_NORMAL:
        return law->a + law->b * random_normal(stream);
    case LENGTH_LOGNORMAL: {
        double variation = law->b / law->a;
        double variance = log1p(variation * variation); /* of the logarithm */
        return exp(log(law->a) - variance / 2 + sqrt(variance) * random_normal(stream));
    }
    default:
        return law->a;
    }
}

const struct request_row *length_law_row(const struct length_law *law, uint64_t seed,
                                         uint64_t index)
{
    struct random_stream stream;
    random_stream_init(&stream, seed, STREAM_ROW_OF_FILE, index);
    return &law->file.rows[random_below(&stream, (uint32_t)law->file.count)];
}

uint32_t length_law_draw(const struct length_law *law, enum plan_stream purpose,
                         uint64_t seed, uint64_t index)
{
    if (law->kind == LENGTH_FILE) {
        const struct request_row *row = length_law_row(law, seed, index);
        return purpose == STREAM_INPUT ? row->input_tokens : row->output_tokens;
    }
    struct random_stream stream;
    random_stream_init(&stream, seed, purpose, index);
    double length;
    do {
        length = round(draw_once(law, &stream));
    } while (length < 1);
    return length > REQUEST_TOKENS_MAX ? REQUEST_TOKENS_MAX : (uint32_t)length;
}
