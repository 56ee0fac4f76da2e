/* The server whose traffic is wanted, out of all that a capture holds. */
#ifndef TOKTRACE_SERVER_FILTER_H
#define TOKTRACE_SERVER_FILTER_H

#include <stdbool.h>

#include "formats/base/fault.h"
#include "record/decode.h"

/* Start from {0}: every server. */
struct server_filter {
    struct endpoint server; /* port 0: any */
    bool any_address;
};

/* True when the endpoint is the server asked for; false when any would do. */
bool server_filter_names(const struct server_filter *filter,
                         const struct endpoint *endpoint);

/* True when a segment between the two is wanted. */
bool server_filter_wants(const struct server_filter *filter,
                         const struct segment *segment);

/* "192.0.2.1:8000", "[2001:db8::1]:8000" or ":8000"; STATUS_USAGE. */
int server_filter_parse(struct server_filter *filter, const char *text,
                        struct fault *fault);

#endif
