/* What an arrival log holds, in memory: one record per request, and the times of each
 * event of its answer. The bytes on disk: arrivals.md; writing: arrivals_writer.h;
 * reading: arrivals_reader.h.
 *
 * Times are ns on the run clock: CLOCK_MONOTONIC minus the log's t0_monotonic_ns.
 * Connections may be made before T0, so small negative times are legal. */
#ifndef TOKTRACE_ARRIVALS_H
#define TOKTRACE_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/clock.h"

/* A time that does not exist for this request: never sent, no packet seen, connection
 * reused. */
#define TIME_NONE INT64_MIN

/* Times on the run clock lie within +-RUN_TIME_MAX_NS (72 years); a log stores others as
 * TIME_NONE. */
#define RUN_TIME_MAX_NS INT64_C(2300000000000000000)

/* Whether a log can hold the time; not so for TIME_NONE. */
static inline bool run_time_is_stored(int64_t time_ns)
{
    return time_ns >= -RUN_TIME_MAX_NS && time_ns <= RUN_TIME_MAX_NS;
}

/* Events that a log keeps of one request. A request with more is cut there and marked. */
enum { REQUEST_EVENTS_MAX = 1 << 20 };

/* Kinds of events. Never renumbered: they are stored. */
enum event_kind {
    EVENT_CONTENT = 0,   /* token event: text of the answer, not empty */
    /* token event: reasoning text, not empty, and no content beside it */
    EVENT_REASONING = 1,
    EVENT_TOOL = 2,      /* token event: a piece of a tool call */
    EVENT_ROLE = 3,      /* a delta that only names the role */
    EVENT_EMPTY = 4,     /* a delta with nothing in it */
    EVENT_FINISH = 5,    /* finish reason without text */
    EVENT_USAGE = 6,     /* usage without choices */
    EVENT_COMMENT = 7,   /* SSE comment or ping */
    EVENT_ERROR = 8,     /* an error object or event */
    EVENT_DONE = 9,      /* [DONE], or the closing event of APIs that have one */
    EVENT_OTHER = 10,    /* anything else, unparsable payloads included */
    EVENT_KINDS = 11,
};

static inline bool event_kind_is_token(unsigned kind)
{
    return kind <= EVENT_TOOL;
}

/* Names for text and JSON: "content", "reasoning", ... "unknown" beyond the enum. */
const char *event_kind_name(unsigned kind);

enum event_flags {
    /* came out of one read with other events: stamp not exact */
    EVENT_FLAG_SHARED_READ = 1 << 0,
    /* first event after the loop slept; wake_ns is set */
    EVENT_FLAG_AFTER_WAKE = 1 << 1,
    EVENT_FLAG_FINISH = 1 << 2,      /* carries a finish reason too */
    EVENT_FLAG_USAGE = 1 << 3,       /* carries usage too */
    /* wire logs: the capture lost the bytes; arrival is TIME_NONE */
    EVENT_FLAG_UNKNOWN_TIME = 1 << 4
};

/* One SSE event (per choice, where one event carries several). Stored with a resolution
 * of 100 ns: floor of the absolute run time, so differences do not drift. */
struct arrival_event {
    int64_t arrival_ns; /* the kernel (or the packet) had the data */
    /* the client had the bytes in hand; TIME_NONE in wire and server logs */
    int64_t app_ns;
    /* app_ns minus the moment the loop woke, saturating; 0 without AFTER_WAKE */
    uint32_t wake_ns;
    uint32_t tokens;    /* output tokens brought; 0 unless a token event */
    uint16_t choice;    /* index of the choice */
    uint8_t kind;       /* enum event_kind */
    uint8_t flags;      /* enum event_flags */
};

/* How a request ended. Never renumbered. */
enum outcome {
    OUTCOME_OK = 0,
    /* a status other than 2xx, or 2xx with a body that is no answer */
    OUTCOME_HTTP_STATUS = 1,
    OUTCOME_STREAM_ERROR = 2,    /* an error object or event after a 2xx head */
    OUTCOME_TRUNCATED = 3,       /* the connection ended before the stream did */
    OUTCOME_CONNECT = 4,         /* name, connection or TLS could not be set up */
    OUTCOME_TIMEOUT = 5,         /* the request's total time was up */
    OUTCOME_IDLE_TIMEOUT = 6,    /* no byte for too long */
    OUTCOME_CLIENT_RESOURCE = 7, /* out of descriptors or ports: the client's fault */
    OUTCOME_CANCELLED = 8,       /* open when the run was interrupted */
    OUTCOME_NOT_SENT = 9,        /* due, but the run ended first */
    OUTCOMES = 10,
};

/* "ok", "http_status", ...; "unknown" beyond the enum. */
const char *outcome_name(unsigned outcome);

/* What N, the number of output tokens, was taken from. */
enum counted_by { COUNTED_BY_EVENTS = 0, COUNTED_BY_USAGE = 1 };

/* Conditions of a request, or of its packets, that a reader must know of. Never
 * renumbered. */
enum request_flags {
    REQUEST_STREAMED = 1 << 0,           /* the answer was an event stream */
    REQUEST_REUSED_CONNECTION = 1 << 1,
    REQUEST_DONE_SEEN = 1 << 2,          /* [DONE] or the API's closing event */
    REQUEST_TOKEN_MISMATCH = 1 << 3,     /* usage and events disagree on N */
    /* more than REQUEST_EVENTS_MAX events: the rest is not in the log */
    REQUEST_EVENTS_CUT = 1 << 4,
    REQUEST_WIRE_RETRANSMISSION = 1 << 8,
    REQUEST_WIRE_REORDERED = 1 << 9,
    /* the capture lost bytes that the peer acknowledged */
    REQUEST_WIRE_HOLE = 1 << 10,
    REQUEST_WIRE_NO_SYN = 1 << 11,
    REQUEST_WIRE_SNAPLEN = 1 << 12,      /* packets cut by the snap length */
    REQUEST_WIRE_OPAQUE = 1 << 13,       /* TLS, HTTP/2 or a compressed body */
    /* overlapping segments with other bytes; the first won */
    REQUEST_WIRE_OVERLAP = 1 << 14,
};

enum { FINISH_REASON_MAX = 24, SESSION_NAME_MAX = 128 };

/* One request. Every token count is UINT32_MAX (COUNT_NONE) where nobody said. */
#define COUNT_NONE UINT32_MAX

struct arrival_request {
    uint64_t row;         /* of the plan, from 0 */
    int64_t due_ns;       /* planned */
    int64_t start_ns;     /* the worker took it up */
    int64_t connect_start_ns; /* TIME_NONE when the connection was reused */
    int64_t connect_end_ns;
    int64_t tls_end_ns;
    /* last request byte handed to the kernel (server logs: last byte read) */
    int64_t sent_ns;
    int64_t headers_ns; /* first response byte reached the host */
    int64_t end_ns;     /* the response was over, or the request given up */

    uint32_t planned_input_tokens;
    uint32_t planned_output_tokens;
    uint32_t usage_prompt_tokens;     /* as the server reported; COUNT_NONE */
    uint32_t usage_completion_tokens; /* likewise; when present, it is N */
    uint32_t usage_cached_tokens;
    uint32_t usage_reasoning_tokens;

    uint64_t bytes_sent;     /* request head and body */
    /* response head and body, as on the wire (compressed, chunked) */
    uint64_t bytes_received;
    uint32_t min_rtt_us;     /* TCP_INFO; COUNT_NONE */
    uint32_t retransmits;    /* TCP_INFO, this connection so far; COUNT_NONE */
    /* n-th request on its connection, from 1; 0: never had one */
    uint32_t connection_request;
    uint16_t local_port;  /* the client's port, in client, server and wire logs alike */
    uint16_t remote_port; /* the server's */
    uint16_t http_status; /* 0: no answer */
    uint16_t curl_code;   /* CURLcode of the transfer, 0: fine */
    uint16_t attempts;    /* 1 unless retried */
    uint8_t outcome;      /* enum outcome */
    uint32_t flags;       /* enum request_flags */
    char finish_reason[FINISH_REASON_MAX]; /* of choice 0, cut; "" when none came */
    char session[SESSION_NAME_MAX];        /* "" when none */

    /* in order of app time (arrival time where there is none) */
    struct arrival_event *events;
    size_t event_count;
};

/* A request with no times, counts or events. */
#define ARRIVAL_REQUEST_INIT \
    { \
        .due_ns = TIME_NONE, .start_ns = TIME_NONE, .connect_start_ns = TIME_NONE, \
        .connect_end_ns = TIME_NONE, .tls_end_ns = TIME_NONE, .sent_ns = TIME_NONE, \
        .headers_ns = TIME_NONE, .end_ns = TIME_NONE, \
        .planned_input_tokens = COUNT_NONE, .planned_output_tokens = COUNT_NONE, \
        .usage_prompt_tokens = COUNT_NONE, \
        .usage_completion_tokens = COUNT_NONE, .usage_cached_tokens = COUNT_NONE, \
        .usage_reasoning_tokens = COUNT_NONE, .min_rtt_us = COUNT_NONE, \
        .retransmits = COUNT_NONE, .attempts = 1, .outcome = OUTCOME_NOT_SENT, \
    }
void arrival_request_init(struct arrival_request *request);

/* Which clockwork wrote the log. Never renumbered. */
enum log_source { LOG_CLIENT = 0, LOG_SERVER = 1, LOG_WIRE = 2, LOG_IMPORTED = 3 };

enum { RUN_ID_MAX = 40, PRODUCER_MAX = 64 };

/* What a log says of itself once, at its start. */
struct arrivals_header {
    char run_id[RUN_ID_MAX];     /* "" when there is no run */
    char producer[PRODUCER_MAX]; /* "tokreplay 0.1.0" */
    char boot_id[BOOT_ID_MAX];
    enum log_source source;
    uint32_t worker;          /* this log is of worker `worker` */
    uint32_t workers;         /* of so many, over all ranks */
    uint64_t planned_requests; /* this worker's share of the plan; 0 when unknown */
    int64_t t0_monotonic_ns;
    int64_t t0_realtime_ns;
};

/* What the loop did over a span of about a second: for utilisation and stalls. */
struct loop_record {
    int64_t from_ns;
    int64_t to_ns;
    uint64_t busy_ns;     /* not waiting in epoll */
    uint64_t iterations;
    uint64_t reads;       /* reads that brought events */
    uint64_t events;
    uint64_t stall_ns;    /* longest single iteration */
    uint64_t log_wait_ns; /* waited for the disk */
};

/* Whether the record has both its times, in order; another program's may not. */
static inline bool loop_record_has_span(const struct loop_record *loop)
{
    return loop->from_ns != TIME_NONE && loop->from_ns < loop->to_ns;
}

/* How a log ended: written last, so its absence means that the worker died. */
struct end_record {
    int64_t at_ns;
    uint64_t requests; /* in the log; the writer fills in both counts */
    uint64_t events;
    bool interrupted;
};

/* A step of the wall clock against the monotonic one, in a clock record. */
struct clock_record {
    int64_t at_ns;          /* run clock */
    int64_t realtime_ns;
    /* 0, or by how much the wall clock jumped since the record before */
    int64_t step_ns;
};

#endif
