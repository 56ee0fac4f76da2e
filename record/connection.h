/* The HTTP of one connection: its two streams of messages and the exchanges that are not
 * over. */
#ifndef TOKTRACE_CONNECTION_H
#define TOKTRACE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/http_message.h"
#include "record/exchange.h"
#include "record/flows.h"
#include "record/http_flows.h"

enum stream_state {
    STREAM_READING,
    STREAM_LOST, /* out of step: waits for the beginning of a message */
};

/* The messages of one direction. */
struct message_stream {
    struct http_parser parser;
    enum stream_state state;
    bool between;     /* two messages */
    int64_t start_ns; /* when the first byte of the message was delivered */
};

/* What a connection carries. */
struct connection {
    struct message_stream streams[2]; /* HTTP_REQUESTS, HTTP_RESPONSES */
    struct exchange *first;           /* the one being answered */
    struct exchange *last;
    uint32_t requests; /* so far */
    uint32_t open;     /* exchanges from first to last */
    bool ignored;      /* opaque, no HTTP, or given up */
    size_t memory;     /* its own, without exchanges, as last counted */
};

struct http_flows {
    struct http_settings settings;
    struct http_counts counts;
    uint64_t rows;
    size_t memory;
};

/* Where an item was found. */
struct place {
    struct http_flows *http;
    struct flow *flow;
    struct connection *connection;
    int64_t delivered_ns;
};

/* With both streams at the beginning of a message, or, where the connection began before
 * the capture, waiting for one. */
struct connection *connection_create(const struct flow *flow);

/* Its exchanges have to be over. */
void connection_free(struct connection *connection);

/* The next bytes of one direction. */
void connection_feed(const struct place *place, enum http_role role, const char *bytes,
                     size_t len);

/* Bytes of one direction are unknown. */
void connection_gap(const struct place *place, enum http_role role, uint64_t len,
                    enum gap_reason reason);

/* The server will send no more. */
void connection_end(const struct place *place);

/* Completes all open exchanges. */
void connection_finish(const struct place *place, enum outcome open_outcome);

/* Ends reading; what is open is written as far as it was seen. Adds one to *counter. */
void connection_ignore(const struct place *place, uint64_t *counter);

/* Brings the sum of memory up to date with one exchange (NULL is allowed). */
void connection_recount(struct http_flows *http, struct exchange *exchange);

/* What the bytes look like that begin a stream. */
bool begins_with(const char *bytes, size_t len, const char *text);
bool begins_request(const char *bytes, size_t len);
bool begins_response(const char *bytes, size_t len);

#endif
