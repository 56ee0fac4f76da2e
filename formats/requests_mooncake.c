/* Mooncake (FAST '25): milliseconds, prefix blocks of 512 tokens. */
#include "formats/requests_reader.h"

enum { MOONCAKE_BLOCK_TOKENS = 512 };

int requests_read_mooncake(struct requests_reader *reader)
{
    static const struct line_key keys[] = {
        { "timestamp", LINE_TIME, UNIT_MS, true },
        { "input_length", LINE_INPUT, 0, true },
        { "output_length", LINE_OUTPUT, 0, true },
        { "hash_ids", LINE_BLOCKS, 0, false },
        { 0 },
    };
    static const struct line_layout layout = {
        .keys = keys,
        .line_max = REQUEST_LINE_MAX,
        .block_tokens = MOONCAKE_BLOCK_TOKENS,
    };
    return requests_read_lines(reader, &layout);
}
