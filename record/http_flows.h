/* HTTP/1.x over the flows of a capture: what each connection carries, its exchanges in
 * order, and what is not readable (TLS, HTTP/2, other protocols). Sits on a flow table as
 * its handler. */
#ifndef TOKTRACE_HTTP_FLOWS_H
#define TOKTRACE_HTTP_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/exchange.h"
#include "record/flows.h"
#include "record/server_filter.h"

struct http_counts {
    uint64_t connections; /* with any byte */
    uint64_t exchanges;
    uint64_t streamed;
    uint64_t token_events;
    uint64_t unknown_events;  /* stand for bytes that the capture lost */
    uint64_t outcomes[OUTCOMES];
    uint64_t opaque_tls;      /* connections */
    uint64_t opaque_http2;
    uint64_t opaque_upgraded; /* 101, or a tunnel */
    uint64_t opaque_coded;    /* exchanges with a compressed answer */
    uint64_t not_http;        /* connections */
    uint64_t lost_streams;    /* directions out of step, by a gap or by what is no HTTP */
    uint64_t no_request;      /* exchanges whose request the capture lost */
    uint64_t unanswered;      /* exchanges without a byte of an answer */
    uint64_t given_up;        /* connections given up because memory was used up */
    /* exchanges on connections that began before the capture; by flag */
    uint64_t no_syn;
    uint64_t retransmission;
    uint64_t reordered;
    uint64_t hole;
    uint64_t snaplen;
    uint64_t overlap;
};

struct http_settings {
    const struct server_filter *server; /* borrowed */
    size_t max_memory;                  /* of open exchanges, all together */
    bool keep_requests;                 /* copy targets and bodies */
    const char *session_header;         /* its value becomes the session; NULL: none */
    /* Called with each exchange when it is over; borrowed for the call. */
    void (*on_exchange)(void *context, const struct exchange *exchange);
    void *context;
};

struct http_flows; /* opaque */

struct http_flows *http_flows_create(const struct http_settings *settings);
void http_flows_free(struct http_flows *http);

/* To be given to flow_table_create. */
struct flow_handler http_flows_handler(struct http_flows *http);

const struct http_counts *http_flows_counts(const struct http_flows *http);

#endif
