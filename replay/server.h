/* The simulated server's loop and what its parts share: one process, one epoll, any
 * number of connections. serve.c sets it up; server.c turns it; server_connection.c reads
 * requests; server_routes.c answers what needs no time; server_reply.c streams answers by
 * the law. */
#ifndef TOKTRACE_SERVER_H
#define TOKTRACE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"
#include "formats/http_message.h"
#include "replay/serve_cache.h"
#include "replay/serve_chunk.h"
#include "replay/serve_engine.h"
#include "replay/serve_fault.h"
#include "replay/serve_law.h"
#include "replay/serve_log.h"
#include "replay/serve_recording.h"
#include "replay/serve_request.h"
#include "replay/timer_heap.h"

enum { SERVER_READ_MAX = 64 * 1024, SERVER_DATE_MAX = 32 };

/* Times of this value never come. */
#define SERVER_NEVER_NS INT64_MAX

struct server_config {
    struct serve_law law;
    bool use_engine; /* tokens come from the engine, not by the law */
    struct engine_config engine;
    const struct serve_recording *recording; /* or as they were recorded; NULL: not so */
    size_t cache_blocks;                     /* of the prefix cache; 0: there is none */
    struct serve_faults faults;
    const char *model;
    uint32_t tokens_per_event;
    bool hold_head;  /* the head waits for the first token */
    bool own_finish; /* the finish reason comes on a chunk of its own */
    size_t body_max;
    uint32_t process; /* of `processes`; numbers requests over all of them */
    uint32_t processes;
};

/* One choice of an answer. */
struct server_choice {
    struct engine_sequence sequence;
    struct connection *connection; /* whose reply it is part of */
    int64_t due_ns;           /* its next event; SERVER_NEVER_NS when there is none */
    uint32_t recorded_events; /* taken from the record */
    uint32_t sent;            /* tokens */
    uint32_t ready;           /* tokens that the next event brings */
    uint32_t prompt_tokens;
    uint32_t uncached_tokens; /* of the prompt */
    bool role_sent;
};

/* An event as logged; the rest of struct arrival_event is made from it at the end. */
struct server_event {
    int64_t at_ns;
    uint32_t tokens;
    uint16_t choice;
    uint8_t kind;
    uint8_t flags;
};

enum reply_phase {
    REPLY_NONE, /* no request is being answered */
    REPLY_HEAD,
    REPLY_TOKENS,
    REPLY_USAGE,
    REPLY_DONE,
    REPLY_OVER,   /* as soon as everything is handed to the kernel */
    REPLY_SILENT, /* nothing more is sent until the client goes */
};

/* The answer in progress on a connection. */
struct server_reply {
    enum reply_phase phase;
    uint64_t number; /* of the request, over all processes: for draws */
    bool chat;
    bool stream;
    bool include_usage;
    bool continuous_usage;
    struct serve_fault fault;
    int64_t paused_until_ns;                 /* by a fault */
    const struct recorded_request *recorded; /* with a recording */
    bool stopped;                            /* ends before the tokens asked for */
    uint32_t max_tokens;
    struct serve_usage usage;        /* so far, over all choices */
    struct serve_usage choice_usage; /* scratch: of one choice */
    struct server_choice *choices;   /* owned; kept, as the memory below is */
    uint32_t choice_count;
    uint32_t choices_open; /* with tokens or their finish still to come */
    size_t choice_capacity;
    struct serve_stream events;
    struct serve_identity identity;
    struct buffer model;
    struct server_event *log; /* owned */
    size_t log_count;
    size_t log_capacity;
    uint16_t http_status;
    uint8_t outcome; /* enum outcome, as a faultless client should judge it */
    uint32_t flags;
    int64_t headers_ns;
};

struct connection {
    struct connection *previous;
    struct connection *next;
    int fd;
    uint16_t peer_port;
    bool readable;   /* the socket may hold bytes that were not read */
    bool in_request; /* its first byte was read, its end was not */
    bool closing;    /* close as soon as everything is handed to the kernel */
    bool draining;   /* refused; what the client still sends is thrown away, so that no
                        reset hides why */
    bool broken;     /* the peer is gone */
    bool ignored;    /* fault: never read */
    bool keep_alive; /* of the request at hand */
    bool head_only;
    uint32_t requests; /* on this connection so far */
    struct http_parser parser;
    struct buffer body;
    struct buffer unread; /* bytes read behind the request being answered */
    struct buffer out; /* bytes that the socket did not take; nothing is sent past them */
    size_t out_at;
    size_t out_events; /* how many events at the end of the log they carry: their time is
                          open */
    int64_t start_ns;  /* first byte of the request */
    int64_t received_ns; /* last byte */
    uint64_t request_bytes;
    uint64_t reply_bytes;
    struct timer timer;
    struct server_reply reply;
};

struct server {
    struct server_config config;
    struct serve_log *log; /* NULL: none */
    int epoll_fd;
    int listen_fd;
    int signal_fd;
    int timer_fd;
    int64_t armed_ns; /* what the timer descriptor is set to */
    uint16_t port;
    bool accepting;
    int stop_signal; /* 0: none came */
    int64_t now_ns;  /* at the last look at the clock */
    struct timer_heap timers;
    struct connection *connections;
    uint64_t connection_count;  /* ever */
    uint64_t request_count;     /* of the law, ever */
    struct serve_cache *cache;  /* NULL: there is none */
    struct serve_blocks blocks; /* of the prompt read last */
    struct engine engine;
    struct timer engine_timer; /* the end of its step */
    uint64_t running;
    uint64_t prompt_tokens; /* ever */
    uint64_t generation_tokens;
    struct buffer scratch;
    struct buffer answer;
    char *read_buffer;
    char date[SERVER_DATE_MAX]; /* of the Date field, for date_s */
    int64_t date_s;
    int64_t started_s;                /* wall clock */
    struct arrival_event *log_events; /* owned; scratch */
    size_t log_events_capacity;
};

/* Runs until SIGINT or SIGTERM (blocked by the caller); returns the signal's number, or a
 * status. Takes listen_fd; requests open at the end are logged as cancelled. */
int server_run(const struct server_config *config, int listen_fd, struct serve_log *log,
               struct fault *fault);

/* Accepts again after descriptors had run out. */
void server_resume_accepting(struct server *server);

/* Looks at the clock. */
int64_t server_now(struct server *server);

/* --- server_connection.c --- */

void connection_accept(struct server *server, int fd, uint16_t peer_port);

/* What epoll said. */
void connection_event(struct server *server, struct connection *connection,
                      uint32_t events);

/* Goes on with what is due. The connection may be gone afterwards. */
void connection_resume(struct server *server, struct connection *connection);

/* Refuses the request unread: answers, then closes without a reset that would hide the
 * answer. */
void connection_refuse(struct server *server, struct connection *connection,
                       unsigned status, const char *message);

/* Sends, or keeps in `out` what the socket does not take; connection->broken tells when
 * the peer is gone. The bytes carry the last `events` events of the reply's log, which
 * get the time just before the write that took the last byte. */
void connection_send(struct server *server, struct connection *connection,
                     const char *bytes, size_t len, size_t events);

void connection_free(struct server *server, struct connection *connection);

/* --- server_routes.c --- */

/* A request is complete, its body in connection->body: answers it, or begins its reply.
 */
void server_route(struct server *server, struct connection *connection);

/* A whole answer, with Content-Length. `extra` holds further header lines. */
void server_answer(struct server *server, struct connection *connection, unsigned status,
                   const char *content_type, const char *extra,
                   const struct buffer *body);

/* An error object, param may be NULL. */
void server_answer_error(struct server *server, struct connection *connection,
                         unsigned status, const char *message, const char *param);

/* The lines that all heads begin with, status line included, up to the caller's own. */
void server_head_append(struct server *server, struct buffer *head,
                        const struct connection *connection, unsigned status,
                        const char *content_type);

/* --- server_reply.c --- */

/* Takes up a parsed request. */
void reply_start(struct server *server, struct connection *connection,
                 const struct serve_request *request, bool chat);

/* Answers and logs a request whose body makes no sense. */
void reply_refuse(struct server *server, struct connection *connection,
                  const struct serve_refusal *refusal);

/* Sends what is due and can be sent; sets the timer for the rest. */
void reply_run(struct server *server, struct connection *connection);

/* Sends an event, which is the last of the reply's log. */
void reply_send_event(struct server *server, struct connection *connection,
                      struct serve_event event);

/* The client left, or the server stops: logs what was sent. */
void reply_cancel(struct server *server, struct connection *connection);

void reply_release(struct server_reply *reply);

/* --- server_schedule.c --- */

/* Sets up the choices of a reply and when their first events are due. */
void reply_schedule_begin(struct server *server, struct connection *connection,
                          const struct serve_request *request);

/* An event of a choice was sent: sets when the next is due, and its tokens. */
void reply_schedule_next(struct server *server, struct connection *connection,
                         uint32_t index);

/* The reply is over: nothing of it may come due any more. */
void reply_schedule_end(struct server *server, struct server_reply *reply);

/* The engine's step has ended: gives out its tokens. */
void reply_schedule_engine_step(struct server *server);

/* --- server_fault.c --- */

/* Answers by a fault that takes the place of an answer; does nothing when there is none.
 */
void reply_answer_by_fault(struct server *server, struct connection *connection);

/* True when the reply's fault strikes now: after so many tokens of a stream, or in place
 * of a whole answer that is ready. */
bool reply_fault_is_due(const struct server_reply *reply);

/* Commits such a fault. */
void reply_strike(struct server *server, struct connection *connection);

/* --- server_record.c; both do nothing without a log --- */

/* Adds an event; its time is set when it is sent. */
void reply_log_event(struct server *server, struct server_reply *reply, uint8_t kind,
                     uint32_t choice, uint32_t tokens, uint8_t flags);

void reply_log_request(struct server *server, struct connection *connection);

#endif
