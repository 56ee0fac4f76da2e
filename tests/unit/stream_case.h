/* One file of tests/streams: an answer as a server sent it, and what must be understood.
 *
 *   # remarks
 *   status: 200                     what the head said; "none": no head came
 *   type: text/event-stream         "none": no Content-Type
 *   end: complete                   or broken
 *   lines: lf                       or cr, crlf: what the line ends of the body become
 *   === body
 *   the bytes, with directives: @{hex EF BB BF}, @{repeat 1000 text}, @{end} (stops
 * before the line end)
 *   === expect
 *   the lines of answer_transcript.h; "@N" behind an event: its end offset; #
 * remarks */
#ifndef TOKTRACE_STREAM_CASE_H
#define TOKTRACE_STREAM_CASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/answer.h"
#include "formats/base/buffer.h"

enum { STREAM_CASE_EVENTS = 512 };

struct stream_case {
    unsigned status;
    char content_type[128]; /* "" for none */
    enum body_end end;
    char line_end[3];
    struct buffer body;
    struct buffer expected;
    uint64_t offsets[STREAM_CASE_EVENTS]; /* expected; 0: not said */
    size_t event_count;
};

static inline void stream_case_release(struct stream_case *c)
{
    buffer_release(&c->body);
    buffer_release(&c->expected);
}

static inline void stream_case_directive(struct buffer *body, const char *text)
{
    int count, skip, digits;
    unsigned byte;
    if (sscanf(text, "repeat %d%n", &count, &skip) == 1) {
        const char *start = text + skip + 1;
        while (count-- > 0)
            buffer_append(body, start, strcspn(start, "}"));
    } else if (strncmp(text, "hex", 3) == 0) {
        for (text += 3; sscanf(text, " %2x%n", &byte, &digits) == 1; text += digits)
            buffer_append_byte(body, (char)byte);
    } else {
        fprintf(stderr, "unknown directive: %.20s\n", text);
        abort();
    }
}

/* [text, end) with its directives carried out and its line ends replaced. */
static inline void stream_case_body(struct stream_case *c, const char *text,
                                    const char *end)
{
    while (text < end) {
        if (strncmp(text, "@{end}", 6) == 0)
            return;
        if (strncmp(text, "@{", 2) == 0) {
            stream_case_directive(&c->body, text + 2);
            text = strchr(text, '}');
        } else if (*text == '\n') {
            buffer_append_text(&c->body, c->line_end);
        } else {
            buffer_append_byte(&c->body, *text);
        }
        text++;
    }
}

static inline void stream_case_option(struct stream_case *c, const char *line)
{
    char value[128];
    if (sscanf(line, "status: %127s", value) == 1) {
        c->status = (unsigned)atoi(value);
    } else if (sscanf(line, "type: %127[^\n]", value) == 1) {
        strcpy(c->content_type, strcmp(value, "none") == 0 ? "" : value);
    } else if (sscanf(line, "end: %127s", value) == 1) {
        c->end = strcmp(value, "broken") == 0 ? BODY_BROKEN : BODY_COMPLETE;
    } else if (sscanf(line, "lines: %127s", value) == 1) {
        strcpy(c->line_end, strcmp(value, "cr") == 0   ? "\r"
                            : strcmp(value, "lf") == 0 ? "\n"
                                                       : "\r\n");
    } else if (*line != '#' && *line != '\n') {
        fprintf(stderr, "unknown line: %.40s\n", line);
        abort();
    }
}

/* Adds one expected line; takes the offset off an event's. */
static inline void stream_case_expect(struct stream_case *c, const char *line, size_t len)
{
    if (len == 0 || *line == '#')
        return;
    if (memchr(line, ':', len) == NULL && c->event_count < STREAM_CASE_EVENTS) {
        const char *at = memchr(line, '@', len);
        c->offsets[c->event_count++] = at != NULL ? strtoull(at + 1, NULL, 10) : 0;
        len = at != NULL ? (size_t)(at - line) : len;
        while (len > 0 && line[len - 1] == ' ')
            len--;
    }
    buffer_append(&c->expected, line, len);
    buffer_append_byte(&c->expected, '\n');
}

/* Reads the text of a file. Malformed text aborts: it is ours. */
static inline void stream_case_parse(struct stream_case *c, const char *text)
{
    *c = (struct stream_case){ .status = 200,
                               .content_type = "text/event-stream",
                               .line_end = "\n" };
    const char *body = strstr(text, "=== body\n");
    const char *expect = strstr(text, "=== expect\n");
    if (body == NULL || expect == NULL)
        abort();
    for (const char *line = text; line < body; line = strchr(line, '\n') + 1)
        stream_case_option(c, line);
    stream_case_body(c, strchr(body, '\n') + 1, expect);
    for (const char *line = strchr(expect, '\n') + 1; *line != '\0';
         line += *line == '\n') {
        size_t len = strcspn(line, "\n");
        stream_case_expect(c, line, len);
        line += len;
    }
}

#endif
