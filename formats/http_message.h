/* HTTP/1.0 and 1.1 messages (RFC 9112) from a run of bytes: heads, body spans with their
 * offsets in the stream, ends of messages; the same result however the bytes were cut.
 * One parser reads one direction of one connection, message after message. Knows no
 * sockets; safe on hostile input. */
#ifndef TOKTRACE_HTTP_MESSAGE_H
#define TOKTRACE_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"

enum {
    HTTP_HEAD_MAX = 64 * 1024,  /* bytes of a head, and of trailers */
    HTTP_CHUNK_LINE_MAX = 4096, /* a chunk size with its extensions */
};

enum http_role { HTTP_REQUESTS, HTTP_RESPONSES };

/* Not NUL-terminated; text is NULL for what is absent. */
struct http_text {
    const char *text;
    size_t len;
};

enum http_framing { HTTP_NO_BODY, HTTP_LENGTH, HTTP_CHUNKED, HTTP_UNTIL_CLOSE };

/* Its texts are borrowed from the parser until the call that follows HTTP_END. */
struct http_head {
    uint64_t start_offset;   /* of the start line's first byte */
    uint64_t end_offset;     /* behind the blank line */
    struct http_text method; /* requests; case-sensitive */
    struct http_text target;
    unsigned status; /* responses, 100..999 */
    unsigned minor_version;
    enum http_framing framing;
    uint64_t content_length; /* with HTTP_LENGTH */
    bool keep_alive;         /* the connection may carry another message */
    bool expect_continue;
    bool upgrade; /* Connection: upgrade with an Upgrade field */
    bool coded;   /* a transfer coding beside chunked (gzip): the body is opaque */
    struct http_text content_type; /* values without surrounding space */
    struct http_text content_encoding;
    struct http_text retry_after;
    struct http_text fields; /* each line ended by one LF; see http_head_field */
};

enum http_item_type {
    HTTP_INTERIM, /* a 1xx head; the final one is still to come */
    HTTP_HEAD,
    HTTP_BODY,   /* a span of the body, framing removed */
    HTTP_END,    /* the message is complete */
    HTTP_OPAQUE, /* bytes behind a 101 or a tunnel's 2xx: no HTTP any more */
};

struct http_item {
    enum http_item_type type;
    const char *bytes; /* BODY and OPAQUE: inside what was passed */
    size_t len;
    uint64_t offset; /* in the stream: of the first byte; END: behind the message's last
                        byte */
};

/* Declared in full so that callers can embed it; read `head`, leave the rest to the
 * functions. */
struct http_parser {
    struct http_head head; /* of the last INTERIM or HEAD item */
    enum http_role role;
    int state;
    bool answers_head;    /* the next response answers HEAD, */
    bool answers_connect; /* or CONNECT */
    bool field_seen;      /* in this head, after its start line */
    uint64_t offset;      /* in the stream, of the next byte to be passed */
    uint64_t left;        /* of a body or chunk with a known length */
    size_t line_start;    /* in `text`, of this line; of a trailer's line, its length */
    size_t line_bytes;    /* seen of a chunk-size line or of trailers */
    struct buffer text;   /* the head */
    const char *problem;  /* what broke the stream; static text */
    unsigned problem_status; /* the HTTP status that a server would answer it with */
};

/* Ready for the first byte. The first use needs zeroed memory; memory of an earlier use
 * is kept. */
void http_parser_start(struct http_parser *parser, enum http_role role);

void http_parser_release(struct http_parser *parser);

/* Responses: the method of the request that the next final response answers, for HEAD and
 * CONNECT. */
void http_parser_expect(struct http_parser *parser, const char *method, size_t len);

/* Takes bytes from *bytes and returns 1 with the next item, 0 when all bytes are used up
 * and more are needed, or STATUS_BAD_INPUT when this is no HTTP message; then,
 * problem_status says how a server would answer, and every later call fails likewise.
 * Call it until it returns 0, also when no bytes are left: an END may be due. */
int http_parser_next(struct http_parser *parser, const char **bytes, size_t *len,
                     struct http_item *item, struct fault *fault);

/* No more bytes will come: 1 with the END of a body that runs until close, 0 between two
 * messages, STATUS_BAD_INPUT inside one. */
int http_parser_finish(struct http_parser *parser, struct http_item *item,
                       struct fault *fault);

/* Passes over `lost` bytes that nobody saw (a hole in a capture). 0: they were body for
 * sure. 1: they ran over the end of a chunk, and the next byte is taken for the first of
 * a chunk-size line; true for streams that write chunk by chunk, and a wrong guess breaks
 * the stream at once as a rule. STATUS_BAD_INPUT: they hid a head or the end of the
 * message. */
int http_parser_skip(struct http_parser *parser, uint64_t lost, struct fault *fault);

/* The value of the first field called `name` (any case), without surrounding space. */
struct http_text http_head_field(const struct http_head *head, const char *name);

/* Compares ignoring the case of ASCII letters; false for absent text. */
bool http_text_equals(struct http_text text, const char *other);

#endif
