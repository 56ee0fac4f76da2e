/* Client and server separated: each request of a client log beside the same request in a
 * packet capture. Times of the wire are exact where the client's kernel stamps merge. */
#ifndef TOKTRACE_SPLIT_H
#define TOKTRACE_SPLIT_H

#include <jansson.h>
#include <stdint.h>

#include "analyze/distribution.h"
#include "analyze/histogram.h"
#include "analyze/load.h"
#include "analyze/sheet.h"
#include "analyze/wire_join.h"

/* Values of a request, in seconds. W: by packets, K: by kernel stamps, A: by the app. */
enum split_value {
    SPLIT_SEND_LAG,       /* sent - due */
    SPLIT_SERVER_NETWORK, /* last token by W - sent */
    SPLIT_NETWORK,        /* least round trip: TCP_INFO, else SYN to SYN-ACK */
    SPLIT_RECEIVE_LAG,    /* last token by A - by W */
    SPLIT_WIRE_SEND,      /* request's last packet - sent: the kernel's sending */
    SPLIT_TTFT_WIRE,
    SPLIT_TTFT_KERNEL,
    SPLIT_TTFT_APP,
    SPLIT_VALUES,
};

/* "send_lag", ...: keys of JSON. */
extern const char *const split_value_keys[SPLIT_VALUES];

struct split_settings {
    int64_t epsilon_ns; /* a receive lag below minus this is a fault of the clocks */
};

struct split {
    uint64_t requests; /* of the client */
    uint64_t sent;     /* of them */
    uint64_t joined;
    uint64_t wire_requests;
    uint64_t wire_not_joined;
    uint64_t holes;    /* joined requests of which the capture lost bytes */
    uint64_t tokens;   /* token events of joined requests */
    uint64_t matched;  /* of them, with a time by packets */
    uint64_t unknown;  /* lost by the capture */
    uint64_t disagree; /* events of another kind in the two logs */
    uint64_t alone;    /* matched tokens that came alone in their read */
    uint64_t identity_checked;
    uint64_t identity_broken; /* parts of a request that do not add up to the whole */
    uint64_t clock_faults;    /* tokens in hand before their packet came */
    int64_t epsilon_ns;
    enum wire_clock_base base; /* the weaker one, where logs differ */
    struct distribution values[SPLIT_VALUES];
    struct histogram receive_lag;   /* of each token, app - packet */
    struct histogram kernel_late;   /* kernel stamp - packet, all matched tokens */
    struct histogram kernel_alone;  /* the same, only those alone in their read */
    struct histogram kernel_shared; /* and those that shared one: merged by the kernel */
};

/* Joins all requests of `load` with the wire. Release in any case. */
int split_compute(struct split *split, struct load *load, struct wire_join *join,
                  const struct split_settings *settings, struct fault *fault);

void split_release(struct split *split);

void split_show(struct sheet *sheet, const struct split *split);

/* Schema tokanalyze.split/1; new reference. */
json_t *split_json(const struct split *split);

#endif
