/* What the HTTP parser made of some bytes, as text; adjacent body spans are joined, so
 * that the text does not depend on how the bytes were cut. Shared by the unit test and
 * the fuzz target. */
#ifndef TOKTRACE_HTTP_TRANSCRIPT_H
#define TOKTRACE_HTTP_TRANSCRIPT_H

#include "formats/http_message.h"

struct http_transcript {
    struct http_parser parser;
    struct buffer text;
    uint64_t body_end; /* stream offset behind the last span written; 0: none open */
};

static inline void http_transcript_item(struct http_transcript *t,
                                        const struct http_item *item)
{
    static const char *const names[] = { "INTERIM", "HEAD", "BODY", "END", "OPAQUE" };
    static const char *const framings[] = { "none", "length", "chunked", "close" };
    const struct http_head *head = &t->parser.head;
    bool span = item->type == HTTP_BODY || item->type == HTTP_OPAQUE;
    if (!span || t->body_end != item->offset) {
        if (t->text.len)
            buffer_append_byte(&t->text, '\n');
        buffer_printf(&t->text, "%s@%llu", names[item->type],
                      (unsigned long long)item->offset);
        if (span)
            buffer_append_byte(&t->text, ' ');
    }
    t->body_end = span ? item->offset + item->len : 0;
    if (span)
        buffer_append(&t->text, item->bytes, item->len);
    if (item->type != HTTP_INTERIM && item->type != HTTP_HEAD)
        return;
    if (t->parser.role == HTTP_REQUESTS)
        buffer_printf(&t->text, " %.*s %.*s", (int)head->method.len, head->method.text,
                      (int)head->target.len, head->target.text);
    else
        buffer_printf(&t->text, " %u", head->status);
    buffer_printf(&t->text, " %s%s%s%s%s", framings[head->framing],
                  head->keep_alive ? "" : " last", head->expect_continue ? " expect" : "",
                  head->upgrade ? " upgrade" : "", head->coded ? " coded" : "");
}

static inline int http_transcript_feed(struct http_transcript *t, const char *bytes,
                                       size_t len)
{
    struct http_item item;
    struct fault fault = { { 0 } };
    int got;
    while ((got = http_parser_next(&t->parser, &bytes, &len, &item, &fault)) > 0)
        http_transcript_item(t, &item);
    if (got < 0)
        buffer_printf(&t->text, "\n%u: %s", t->parser.problem_status, fault.text);
    return got;
}

static inline void http_transcript_finish(struct http_transcript *t)
{
    struct http_item item;
    struct fault fault = { { 0 } };
    int got = http_parser_finish(&t->parser, &item, &fault);
    if (got > 0)
        http_transcript_item(t, &item);
    else if (got < 0)
        buffer_printf(&t->text, "\n%s", fault.text);
}

static inline void http_transcript_release(struct http_transcript *t)
{
    http_parser_release(&t->parser);
    buffer_release(&t->text);
}

#endif
