/* Token times of a recorded run, to be served again: those of choice 0 of each request
 * that got a token, in the order in which the requests were sent. */
#ifndef TOKTRACE_SERVE_RECORDING_H
#define TOKTRACE_SERVE_RECORDING_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

struct recorded_event {
    int64_t after_ns; /* since the request was sent */
    uint32_t tokens;
};

struct recorded_request {
    int64_t sent_ns;
    size_t first_event; /* in events */
    uint32_t event_count;
    uint32_t tokens; /* over its events */
};

struct serve_recording {
    struct recorded_request *requests; /* owned */
    size_t request_count;
    size_t request_capacity;
    struct recorded_event *events; /* owned */
    size_t event_count;
    size_t event_capacity;
    uint64_t left_out; /* requests without a token or a time */
};

/* Reads an arrival log whole. STATUS_BAD_INPUT when it holds no request with tokens. */
int serve_recording_load(struct serve_recording *recording, const char *path,
                         struct fault *fault);

void serve_recording_release(struct serve_recording *recording);

/* The record for a request, by its number: they are used in turn, over and over. */
const struct recorded_request *serve_recording_at(const struct serve_recording *recording,
                                                  uint64_t number);

#endif
