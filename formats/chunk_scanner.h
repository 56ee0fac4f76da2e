/* What one event of a streamed answer brings: reads the JSON of a chunk in a single pass
 * without allocating. Knows /v1/chat/completions and /v1/completions chunks, the whole
 * (not streamed) answers of both, Anthropic's message events and OpenAI's response
 * events.
 *
 * Agrees with a full JSON parser (keys in any order, escaped keys, the last of duplicate
 * keys counts) but is more lenient in four points, so that text is not lost as a token:
 * bytes that are not UTF-8, lone surrogate escapes and NUL escapes are accepted in
 * strings, numbers may be of any size. Stricter in one: nesting beyond JSON_DEPTH_MAX
 * (64) is invalid. */
#ifndef TOKTRACE_CHUNK_SCANNER_H
#define TOKTRACE_CHUNK_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"

/* 128 is the most choices that the OpenAI API accepts; a chunk with more is
 * EVENT_OTHER. */
enum { CHUNK_CHOICES_MAX = 128 };

/* Token counts as the server reported them; COUNT_NONE where it did not, or said null, or
 * something that is not a whole number from 0 to COUNT_NONE - 1. */
struct chunk_usage {
    uint32_t prompt_tokens; /* Anthropic: uncached, cache-read, cache-written together */
    uint32_t completion_tokens;
    uint32_t cached_tokens;
    uint32_t reasoning_tokens;
};

struct chunk_choice {
    uint16_t index;
    uint8_t kind; /* EVENT_CONTENT, _REASONING, _TOOL, _FINISH, _ROLE or _EMPTY */
    bool finished;
};

struct chunk {
    /* Of the event as a whole: EVENT_USAGE, _ERROR, _DONE, _COMMENT (ping) or _OTHER;
     * with choices, the kind of the first. */
    uint8_t kind;
    bool valid;     /* the payload is JSON within our limits */
    bool has_usage; /* a usage object, not null */
    bool answer;    /* part of an answer of a known API, however empty */
    struct chunk_usage usage;
    char finish_reason[FINISH_REASON_MAX]; /* of choice 0, cut; "" for none */
    bool aborted;   /* a choice ended because the server failed: "error" or "abort" */
    /* 0 unless the event belongs to choices; APIs without choices have one, index 0 */
    unsigned choice_count;
    struct chunk_choice choices[CHUNK_CHOICES_MAX]; /* choice_count of them are set */
};

/* Classifies payload[0..len), one event's data. `type` is its event: field, "" for none;
 * it decides only where the payload does not say: "error" makes any payload EVENT_ERROR,
 * "ping" a comment. */
void chunk_scan(struct chunk *chunk, const char *payload, size_t len, const char *type);

#endif
