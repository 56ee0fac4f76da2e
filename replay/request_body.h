/* Bodies of requests: JSON for the two APIs, prompts of exactly the planned length. A
 * pure function of the plan, the options and the request's number; safe to call from
 * several threads at once.
 *
 * A prompt begins with the blocks that its request shares with others
 * (plan_request.block_count); what lies beyond them, or all of it, is its own. A run of
 * tokens that stands for a number (a block's id, or the request's own) starts with that
 * number written in base V, V being the size of the vocabulary, least significant digit
 * first: so different numbers give different runs from the first token on wherever V
 * allows it. The rest of the run is drawn. */
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
    bool words;             /* completions: words in place of token ids; chat always */
    /* Words sent for a planned length: (tokens - overhead) x words per token, until
     * calibrated as many as tokens. */
    double words_per_token;
    double overhead_tokens; /* that the server adds to each prompt */
};

/* Whether prompts are words, whose count in tokens the server decides. */
bool body_options_use_words(const struct body_options *options);

/* Words of a prompt of `planned` tokens. */
uint64_t body_options_words(const struct body_options *options, uint32_t planned);

/* Completions, streamed, ignore_eos, ids from [1000, 30000). */
#define BODY_OPTIONS_INIT \
    { .vocab_first = 1000, .vocab_end = 30000, .stream = true, .ignore_eos = true, \
      .words_per_token = 1.0 }

enum { BODY_VOCAB_END_MAX = 1 << 24 };

/* "/v1/completions" or "/v1/chat/completions". */
const char *request_api_path(enum request_api api);

/* "FIRST:END" → [first, end) of body options; at least two ids, end at most
 * BODY_VOCAB_END_MAX. STATUS_USAGE. */
int body_options_parse_vocab(struct body_options *options, const char *text,
                             struct fault *fault);

/* Appends the body of request `index` of the plan to `body`. The answer is limited by
 * max_tokens; chat says max_completion_tokens, and max_tokens beside it when ignore_eos
 * shows that the server is not one that refuses both. */
void request_body_append(struct buffer *body, const struct plan *plan, size_t index,
                         const struct body_options *options);

#endif
