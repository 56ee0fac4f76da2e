/* Faults that the simulated server commits on purpose: rules KIND:PROBABILITY[:ARG],
 * drawn by the seed and the request's number, so that a run can be repeated. */
#ifndef TOKTRACE_SERVE_FAULT_H
#define TOKTRACE_SERVE_FAULT_H

#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/base/options.h"

enum serve_fault_kind {
    SERVE_FAULT_NONE,
    SERVE_FAULT_STATUS,    /* an HTTP status with an error object; 429 with Retry-After */
    SERVE_FAULT_HTML,      /* 200 with a page */
    SERVE_FAULT_NO_ANSWER, /* the request is read, nothing is sent */
    SERVE_FAULT_ERROR_EVENT,  /* these, after so many tokens: an error event and [DONE] */
    SERVE_FAULT_GARBAGE,      /* an event that is no JSON; then the stream goes on */
    SERVE_FAULT_FIN,          /* the connection is closed */
    SERVE_FAULT_RST,          /* the connection is reset */
    SERVE_FAULT_SHORT_LENGTH, /* closed with less than Content-Length said */
    SERVE_FAULT_SILENCE,      /* nothing more is sent, the connection stays open */
    SERVE_FAULT_STALL,        /* a pause after the first token */
    SERVE_FAULT_NO_DONE,      /* the stream lacks [DONE] */
    SERVE_FAULT_NO_LAST_CHUNK, /* closed without the chunk that ends the body */
    SERVE_FAULT_NO_READ,       /* per connection: accepted, never read */
};

struct serve_fault {
    enum serve_fault_kind kind;
    int64_t argument; /* a status, tokens, or ns, by kind */
};

struct serve_fault_rule {
    struct serve_fault fault;
    double probability;
};

enum { SERVE_FAULT_RULES_MAX = 32 };

struct serve_faults {
    struct serve_fault_rule rules[SERVE_FAULT_RULES_MAX];
    size_t count;
    uint64_t seed;
};

int serve_faults_parse(struct serve_faults *faults, const struct option_list *texts,
                       struct fault *fault);

/* The fault of a request, and of a connection: that of the first rule whose draw says so.
 */
struct serve_fault serve_faults_of_request(const struct serve_faults *faults,
                                           uint64_t request);
struct serve_fault serve_faults_of_connection(const struct serve_faults *faults,
                                              uint64_t connection);

#endif
