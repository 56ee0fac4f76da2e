/* Bodies of requests: JSON for the two APIs, prompts of exactly the planned length. A pure function of the
 * plan, the seed and the request's number. */
#ifndef TOKTRACE_REQUEST_BODY_H
#define TOKTRACE_REQUEST_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "replay/plan.h"

enum request_api { API_COMPLETIONS, API_CHAT };

struct body_options {
    enum request_api api;
    const char *model;
    uint32_t vocab_first; /* token ids are drawn from [vocab_first, vocab_end) */
    uint32_t vocab_end;
    bool stream;          /* default true; with include_usage */
    bool ignore_eos;
};

/* "/v1/completions" or "/v1/chat/completions". */
const char *request_api_path(enum request_api api);

/* Appends the body of request `index` of the plan to `body`. */
void request_body_append(struct buffer *body, const struct plan *plan, size_t index,
                         const struct body_options *options);

#endif
