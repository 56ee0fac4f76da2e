/* One request reduced to what the metrics need, the same size whatever the number of its
 * tokens. All analyses of requests start from here, so they agree on what a token, a
 * choice and N are. */
#ifndef TOKTRACE_SAMPLE_H
#define TOKTRACE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"

/* Times of the token events by one clock, ns on the run clock. Each is TIME_NONE where
 * there is no token event or where the time of one that it needs is unknown. With several
 * choices, spans are summed over the choices: no gap or span goes from one choice to
 * another. */
struct token_times {
    int64_t first_ns;         /* the first token event of any choice */
    int64_t first_content_ns; /* the first that is content */
    int64_t last_ns;          /* the last token event of any choice */
    int64_t span_ns;          /* last - first of each choice, summed */
    /* last_ns minus a choice's own last, summed; 0 with one choice */
    int64_t early_ns;
};

struct request_sample {
    uint64_t row;
    int64_t due_ns;
    int64_t connect_start_ns;
    int64_t connect_end_ns;
    int64_t sent_ns;
    int64_t end_ns;
    struct token_times arrival;
    struct token_times app;
    uint32_t input_tokens;  /* as the server reported, else as planned; COUNT_NONE */
    uint32_t cached_tokens; /* of these; 0 where nobody said */
    uint32_t planned_output_tokens; /* COUNT_NONE */
    uint32_t output_tokens;      /* N: the server's count, else what the events brought */
    uint32_t output_events;      /* token events */
    uint32_t first_event_tokens; /* k1, summed over the choices */
    uint32_t log;      /* index of the log it came from, for the caller to set */
    uint16_t choices;  /* that had a token event */
    uint16_t http_status;
    uint8_t outcome;   /* enum outcome */
    bool streamed;         /* the answer was an event stream */
    bool counted_by_usage; /* N is the server's count */
    bool mismatch;         /* the server's count and the events differ */
};

/* A gap whose second event brought no or several tokens, or follows one that brought
 * none. */
struct multi_gap {
    int64_t gap_ns;
    int64_t spread_ns; /* gap_ns and the gaps before it that brought no token */
    uint32_t tokens;   /* that spread_ns was spent on; 0: they are still to come */
};

/* Gaps between successive token events of one choice, by one clock, in the order of
 * events. */
struct clock_gaps {
    int64_t *gap_ns; /* those that brought one token */
    size_t count;
    struct multi_gap *multi; /* the others */
    size_t multi_count;
};

/* What sample_from_request leaves beside the sample; the arrays are reused. Start from
 * {0}. */
struct token_gaps {
    struct clock_gaps arrival;
    struct clock_gaps app;
    int64_t *lag_ns; /* app - arrival of each token event that has both */
    size_t lag_count;
    uint64_t shared_reads;  /* token events whose read brought other events too */
    uint64_t unknown_times; /* token events without an arrival */

    size_t capacity; /* of each array above */
    struct choice_track *tracks; /* by choice index */
    size_t track_count;
    uint16_t *used; /* choices of this request, in order of their first token event */
    size_t used_count;
    uint64_t generation; /* counts requests, so that tracks need no clearing */
};

void token_gaps_release(struct token_gaps *gaps);

/* Fills both from one request. */
void sample_from_request(const struct arrival_request *request,
                         struct request_sample *sample, struct token_gaps *gaps);

#endif
