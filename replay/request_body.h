/* Bodies of requests: JSON for the two APIs, prompts of exactly the planned length. A
 * pure function of the plan, the options and the request's number; safe to call from
 * several threads at once. */
#ifndef TOKTRACE_REQUEST_BODY_H
#define TOKTRACE_REQUEST_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"
#include "replay/plan.h"

enum request_api { API_COMPLETIONS, API_CHAT };

struct body_options {
    enum request_api api;
    const char *model;    /* NULL or "": no model is named */
    uint32_t vocab_first; /* token ids come from [vocab_first, vocab_end) */
    uint32_t vocab_end;
    bool stream;          /* with include_usage */
    bool ignore_eos;      /* ask servers that know it to go on to max_tokens */
    double words_per_token; /* chat: words sent per planned token, 1 until calibrated */
};

/* Completions, streamed, ignore_eos, ids from [1000, 30000). */
#define BODY_OPTIONS_INIT \
    { .vocab_first = 1000, .vocab_end = 30000, .stream = true, .ignore_eos = true, \
      .words_per_token = 1.0 }

/* "/v1/completions" or "/v1/chat/completions". */
const char *request_api_path(enum request_api api);

/* "FIRST:END" → [first, end) of body options; at least two ids, end at most 2^24.
 * STATUS_USAGE. */
int body_options_parse_vocab(struct body_options *options, const char *text,
                             struct fault *fault);

/* Appends the body of request `index` of the plan to `body`. */
void request_body_append(struct buffer *body, const struct plan *plan, size_t index,
                         const struct body_options *options);

#endif
