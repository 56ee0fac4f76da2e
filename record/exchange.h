/* One HTTP exchange seen on the wire, a request and its answer, on its way to a record of
 * the arrival log. All times are those of the packets, on the run clock. */
#ifndef TOKTRACE_EXCHANGE_H
#define TOKTRACE_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/answer.h"
#include "formats/arrivals.h"
#include "formats/base/buffer.h"
#include "formats/http_message.h"
#include "record/flows.h"

/* What of the request is kept where a request trace is wanted. */
struct request_copy {
    struct buffer target;
    struct buffer body;
    uint64_t body_bytes; /* as sent */
    bool body_whole;     /* body holds all of it, not coded */
};

enum { REQUEST_COPY_MAX = 8 * 1024 * 1024 };

struct exchange {
    struct exchange *next;         /* in the order of requests */
    struct arrival_request record; /* its events are owned */
    size_t event_capacity;
    struct answer answer;
    struct request_copy copy;
    bool request_seen; /* its head was; false when the capture lost it */
    bool answers_head; /* its method */
    bool answers_connect;
    bool head_seen;  /* of the answer */
    bool body_cut;   /* bytes of the answer's body are missing */
    bool opaque;
    int64_t body_ns; /* when the last byte of the answer's body so far was delivered */
    /* index of the first event of unknown time, or event_count's limit: none */
    size_t unknown;
    bool after_gap;  /* no token event came since the last gap */
    size_t counted_memory; /* of its owner's bookkeeping */
    /* of the flow, when the exchange began; likewise below */
    uint64_t retransmitted_before;
    uint64_t reordered_before;
    uint64_t mismatched_before;
};

/* An exchange on `flow` that begins at time_ns. Caller frees with exchange_free. */
struct exchange *exchange_create(const struct flow *flow, uint64_t row,
                                 uint32_t connection_request, int64_t time_ns);

void exchange_free(struct exchange *exchange);

/* Bytes of memory behind it, itself included. */
size_t exchange_memory(const struct exchange *exchange);

/* The answer's head, whose first byte was delivered at start_ns. */
void exchange_answer_head(struct exchange *exchange, const struct http_head *head,
                          int64_t start_ns);

void exchange_answer_body(struct exchange *exchange, const char *bytes, size_t len,
                          int64_t delivered_ns);

/* Bytes of the answer's body are unknown. */
void exchange_answer_gap(struct exchange *exchange);

/* Completes the record. `end` as for answer_finish; open_outcome is what a cut answer
 * counts as. */
void exchange_finish(struct exchange *exchange, const struct flow *flow,
                     enum body_end end, enum outcome open_outcome, int64_t end_ns);

#endif
