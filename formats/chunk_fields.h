/* The part of chunk_scanner that reads: which values of the JSON matter, wherever they
 * stand. What they mean together is decided in chunk_scanner.c. */
#ifndef TOKTRACE_CHUNK_FIELDS_H
#define TOKTRACE_CHUNK_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/chunk_scanner.h"
#include "formats/json_cursor.h"

/* What text a value brings that is not empty, as a set. */
enum piece {
    PIECE_CONTENT = 1 << 0,
    PIECE_REASONING = 1 << 1,
    PIECE_TOOL = 1 << 2,
    PIECE_ROLE = 1 << 3,
};

/* Objects that usage is found in. */
enum usage_place { USAGE_TOP, USAGE_OF_MESSAGE, USAGE_OF_RESPONSE, USAGE_PLACES };

enum usage_count {
    USAGE_PROMPT,
    USAGE_COMPLETION,
    USAGE_INPUT, /* the names of Anthropic and of OpenAI's responses */
    USAGE_OUTPUT,
    USAGE_CACHE_READ,
    USAGE_CACHE_WRITTEN,
    USAGE_CACHE_HIT,
    USAGE_PROMPT_CACHED, /* inside the details objects */
    USAGE_INPUT_CACHED,
    USAGE_COMPLETION_REASONING,
    USAGE_OUTPUT_REASONING,
    USAGE_REASONING,
    USAGE_COUNTS,
};

enum label {
    LABEL_TYPE,
    LABEL_OBJECT,
    LABEL_STOP_REASON,
    LABEL_DELTA_STOP_REASON,
    LABEL_STATUS, /* of a response that stands alone */
    LABEL_INCOMPLETE_REASON,
    LABEL_RESPONSE_STATUS, /* of a response inside an event */
    LABEL_RESPONSE_INCOMPLETE_REASON,
    LABELS,
};

/* Members of the top object, of a message or delta, and of a part of content, that bring
 * text. */
enum top_text { TOP_DELTA, TOP_BLOCK, TOP_CONTENT, TOP_OUTPUT, TOP_TEXTS };
enum message_text {
    MESSAGE_ROLE,
    MESSAGE_CONTENT,
    MESSAGE_REFUSAL,
    MESSAGE_REASONING,
    MESSAGE_REASONING_CONTENT,
    MESSAGE_TOOL_CALLS,
    MESSAGE_FUNCTION_CALL,
    MESSAGE_TEXTS,
};
enum part_text {
    PART_TEXT,
    PART_REFUSAL,
    PART_CONTENT,
    PART_THINKING,
    PART_SUMMARY,
    PART_FUNCTION,
    PART_CUSTOM,
    PART_NAME,
    PART_ARGUMENTS,
    PART_INPUT,
    PART_PARTIAL_JSON,
    PART_TEXTS,
};
enum choice_text { CHOICE_TEXT, CHOICE_DELTA, CHOICE_MESSAGE, CHOICE_TEXTS };
enum error_place { ERROR_TOP, ERROR_OF_RESPONSE, ERROR_PLACES };

/* One element of choices while it is read. Sets of pieces by member, so that the last of
 * duplicate members counts. */
struct choice_fields {
    uint32_t position; /* in the array: the index where the server gives none */
    uint32_t index;
    struct json_text finish_reason;
    uint8_t texts[CHOICE_TEXTS];
};

struct part_fields {
    struct json_text type;
    uint8_t texts[PART_TEXTS];
};

struct chunk_fields {
    struct json_cursor cursor;
    unsigned pieces;      /* of the value being read */
    bool has_choices;     /* an array, maybe empty */
    bool message_is_text; /* the top object's message */
    bool errors[ERROR_PLACES];
    bool has_usage[USAGE_PLACES];
    uint8_t top_texts[TOP_TEXTS];
    uint8_t message_texts[MESSAGE_TEXTS];
    struct json_text labels[LABELS]; /* len 0: none */
    struct part_fields part;
    struct choice_fields choice;
    struct json_text finish_reason; /* of choice 0 */
    bool aborted; /* a finish reason is "error" or "abort" */
    unsigned choice_count;
    struct chunk_choice *choices; /* the caller's, CHUNK_CHOICES_MAX of them */
    enum usage_place place;       /* of the usage being read */
    /* set where has_usage says so */
    uint32_t usage[USAGE_PLACES][USAGE_COUNTS];
};

/* False when the payload is not JSON or is beyond our limits; the fields are then of no
 * use. */
bool chunk_fields_read(struct chunk_fields *fields, struct chunk_choice *choices,
                       const char *payload, size_t len);

/* The kind of a choice that brought these pieces. */
uint8_t chunk_choice_kind(unsigned pieces, bool finished);

#endif
