/* What the simulated server must know of a request's JSON body: lengths and wishes, not
 * the text. */
#ifndef TOKTRACE_SERVE_REQUEST_H
#define TOKTRACE_SERVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/json_cursor.h"
#include "replay/serve_cache.h"

enum {
    SERVE_CHOICES_MAX = 128,      /* prompts × n */
    SERVE_TOKENS_MAX = 1000000,   /* max_tokens */
    SERVE_ANSWER_MAX = 4000000,   /* max_tokens × choices */
    SERVE_DEFAULT_MAX_TOKENS = 16 /* as the API says */
};

struct serve_request {
    struct json_text model; /* borrowed from the body; len 0: not named */
    uint32_t prompts;
    uint32_t prompt_tokens[SERVE_CHOICES_MAX]; /* ids, or words between white space */
    uint32_t n;                                /* choices per prompt */
    uint32_t max_tokens;
    bool stream;
    bool include_usage;
    bool continuous_usage;
};

/* Why a body is refused, for the error object; static texts, param may be NULL. */
struct serve_refusal {
    const char *message;
    const char *param;
};

/* Where the prompt is looked for. */
enum serve_prompt { SERVE_PROMPT, SERVE_MESSAGES, SERVE_EITHER };

/* False, with the reason, when the body is not JSON, has no prompt, or asks for what no
 * server gives. `blocks` gets those of the prompt, none when there are several; it may be
 * NULL. */
bool serve_request_parse(struct serve_request *request, enum serve_prompt prompt,
                         const char *body, size_t len, struct serve_blocks *blocks,
                         struct serve_refusal *refusal);

#endif
