#include "formats/http_message.h"

#include <stdint.h>
#include <string.h>

#include "formats/http_head.h"

enum state {
    AT_START, /* before a start line; empty lines are passed over */
    IN_HEAD,
    IN_LENGTH,
    IN_REST, /* a body that runs until close */
    IN_CHUNK_SIZE,
    IN_CHUNK_EXTENSION,
    IN_CHUNK,
    AT_CHUNK_END,
    IN_TRAILERS,
    AT_END,
    IN_TUNNEL,
    BROKEN,
};

enum { AGAIN = 2 }; /* a step that made progress but has no item */

/* The unread part of what the caller passed. */
struct input {
    const char **bytes;
    size_t *len;
};

static void take(struct http_parser *parser, struct input in, size_t count)
{
    *in.bytes += count;
    *in.len -= count;
    parser->offset += count;
}

static int broken(struct http_parser *parser, const char *problem, unsigned status)
{
    parser->state = BROKEN;
    parser->problem = problem;
    parser->problem_status = status;
    return STATUS_BAD_INPUT;
}

static int bad(struct http_parser *parser, const char *problem)
{
    return broken(parser, problem, 400);
}

static int give(struct http_parser *parser, struct http_item *item,
                enum http_item_type type, struct input in, size_t len)
{
    *item = (struct http_item){ type, *in.bytes, len, parser->offset };
    take(parser, in, len);
    return 1;
}

void http_parser_start(struct http_parser *parser, enum http_role role)
{
    struct buffer text = parser->text;
    buffer_clear(&text);
    *parser = (struct http_parser){ .role = role, .text = text };
}

void http_parser_release(struct http_parser *parser)
{
    buffer_release(&parser->text);
}

void http_parser_expect(struct http_parser *parser, const char *method, size_t len)
{
    parser->answers_head = len == 4 && !memcmp(method, "HEAD", 4);
    parser->answers_connect = len == 7 && !memcmp(method, "CONNECT", 7);
}

static void begin_head(struct http_parser *parser)
{
    buffer_clear(&parser->text);
    parser->line_start = 0;
    parser->field_seen = false;
    parser->head = (struct http_head){ .start_offset = parser->offset };
    parser->state = IN_HEAD;
}

/* Servers pass over empty lines before a start line (RFC 9112, 2.2); done on both sides.
 */
static int step_start(struct http_parser *parser, struct input in)
{
    if (!*in.len)
        return 0;
    if (**in.bytes == '\r' || **in.bytes == '\n')
        take(parser, in, 1);
    else
        begin_head(parser);
    return AGAIN;
}

/* Texts of the start line were parsed while the buffer still grew; now it stays where it
 * is. */
static int head_complete(struct http_parser *parser, struct http_item *item)
{
    struct http_head *head = &parser->head;
    const char *text = parser->text.data;
    const char *line_end = memchr(text, '\n', parser->text.len);
    size_t line_len = (size_t)(line_end - text);
    http_start_line_parse(head, parser->role, text, line_len);
    head->fields = (struct http_text){ line_end + 1, parser->text.len - line_len - 1 };
    head->end_offset = parser->offset;
    struct http_problem problem = http_fields_parse(head, parser->role,
                                                    parser->answers_head);
    if (problem.text)
        return broken(parser, problem.text, problem.status);
    static const enum state body_states[] = {
        [HTTP_NO_BODY] = AT_END,
        [HTTP_LENGTH] = IN_LENGTH,
        [HTTP_CHUNKED] = IN_CHUNK_SIZE,
        [HTTP_UNTIL_CLOSE] = IN_REST,
    };
    parser->state = (int)body_states[head->framing];
    parser->left = head->framing == HTTP_LENGTH ? head->content_length : 0;
    parser->line_bytes = 0;
    *item = (struct http_item){ .type = HTTP_HEAD, .offset = head->start_offset };
    if (parser->role == HTTP_REQUESTS)
        return 1;
    if (head->status == 101 || (parser->answers_connect && head->status / 100 == 2)) {
        parser->state = IN_TUNNEL;
    } else if (head->status < 200) {
        item->type = HTTP_INTERIM;
        parser->state = AT_START;
        return 1;
    }
    parser->answers_head = parser->answers_connect = false;
    return 1;
}

/* A line of the head is complete in the buffer, its LF included: keeps it without its CR.
 */
static int head_line_done(struct http_parser *parser, struct http_item *item)
{
    char *line = parser->text.data + parser->line_start;
    size_t len = parser->text.len - parser->line_start - 1;
    if (len && line[len - 1] == '\r')
        len--;
    if (memchr(line, '\r', len))
        return bad(parser, "a CR inside a header line");
    bool first = !parser->line_start;
    if (!first && !len) {
        parser->text.len = parser->line_start;
        return head_complete(parser, item);
    }
    line[len] = '\n';
    parser->text.len = parser->line_start + len + 1;
    if (first) {
        struct http_problem problem = http_start_line_parse(&parser->head, parser->role,
                                                            line, len);
        if (problem.text)
            return broken(parser, problem.text, problem.status);
    } else if (*line == ' ' || *line == '\t') {
        /* a folded line continues the field before it; refused from clients */
        if (parser->role == HTTP_REQUESTS || !parser->field_seen)
            return bad(parser, "a header line that begins with a space");
        line[-1] = ' ';
    } else {
        parser->field_seen = true;
    }
    parser->line_start = parser->text.len;
    return AGAIN;
}

/* Index of the first control byte that no head may hold, or len. */
static size_t find_control(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if ((byte < ' ' && byte != '\t' && byte != '\r' && byte != '\n') || byte == 0x7f)
            return i;
    }
    return len;
}

static int step_head(struct http_parser *parser, struct input in, struct http_item *item)
{
    if (!*in.len)
        return 0;
    const char *line_end = memchr(*in.bytes, '\n', *in.len);
    size_t wanted = line_end ? (size_t)(line_end - *in.bytes) + 1 : *in.len;
    size_t room = HTTP_HEAD_MAX - (size_t)(parser->offset - parser->head.start_offset);
    size_t count = wanted < room ? wanted : room;
    size_t clean = find_control(*in.bytes, count);
    buffer_append(&parser->text, *in.bytes, clean);
    take(parser, in, clean);
    if (clean < count)
        return bad(parser, "a control character in the head");
    if (count < wanted)
        return broken(parser, "a head over 64 KiB", 431);
    return line_end ? head_line_done(parser, item) : 0;
}

/* A span of a body whose length is known. */
static int step_known(struct http_parser *parser, struct input in, struct http_item *item,
                      enum state next)
{
    if (!parser->left) {
        parser->state = (int)next;
        return AGAIN;
    }
    if (!*in.len)
        return 0;
    size_t len = *in.len < parser->left ? *in.len : (size_t)parser->left;
    parser->left -= len;
    return give(parser, item, HTTP_BODY, in, len);
}

static int hex_value(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    char lower = (char)(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Over the rest of a chunk-size line; a last chunk, of size 0, is followed by trailers.
 */
static int chunk_line_byte(struct http_parser *parser, struct input in)
{
    char byte = **in.bytes;
    if (++parser->line_bytes > HTTP_CHUNK_LINE_MAX)
        return bad(parser, "a chunk-size line over 4 KiB");
    take(parser, in, 1);
    if (byte != '\n')
        return AGAIN;
    parser->line_bytes = 0;
    parser->state = parser->left ? IN_CHUNK : IN_TRAILERS;
    parser->line_start = 0;
    return AGAIN;
}

static int step_chunk_size(struct http_parser *parser, struct input in)
{
    if (!*in.len)
        return 0;
    char byte = **in.bytes;
    int digit = hex_value(byte);
    if (digit >= 0) {
        if (parser->left > INT64_MAX >> 4)
            return bad(parser, "a chunk size of 2^63 or more");
        parser->left = parser->left << 4 | (unsigned)digit;
    } else if (!parser->line_bytes || !byte || !strchr("\r\n; \t", byte)) {
        return bad(parser, "a chunk size that is no hexadecimal number");
    } else {
        parser->state = IN_CHUNK_EXTENSION;
        return AGAIN;
    }
    return chunk_line_byte(parser, in);
}

static int step_chunk_extension(struct http_parser *parser, struct input in)
{
    return *in.len ? chunk_line_byte(parser, in) : 0;
}

static int step_chunk_end(struct http_parser *parser, struct input in)
{
    if (!*in.len)
        return 0;
    char byte = **in.bytes;
    if (byte == '\n') {
        parser->state = IN_CHUNK_SIZE;
        parser->line_bytes = 0;
    } else if (byte != '\r' || parser->line_bytes++) {
        return bad(parser, "chunk data that is longer than its size");
    }
    take(parser, in, 1);
    return AGAIN;
}

/* Trailers are read over; line_start counts the bytes of a line, its CR apart. */
static int step_trailers(struct http_parser *parser, struct input in)
{
    if (!*in.len)
        return 0;
    char byte = **in.bytes;
    if (++parser->line_bytes > HTTP_HEAD_MAX)
        return broken(parser, "trailers over 64 KiB", 431);
    take(parser, in, 1);
    if (byte == '\n') {
        if (!parser->line_start)
            parser->state = AT_END;
        parser->line_start = 0;
    } else if (byte != '\r') {
        parser->line_start++;
    }
    return AGAIN;
}

static int step_rest(struct http_parser *parser, struct input in, struct http_item *item,
                     enum http_item_type type)
{
    return *in.len ? give(parser, item, type, in, *in.len) : 0;
}

static int step(struct http_parser *parser, struct input in, struct http_item *item)
{
    switch ((enum state)parser->state) {
    case AT_START:
        return step_start(parser, in);
    case IN_HEAD:
        return step_head(parser, in, item);
    case IN_LENGTH:
        return step_known(parser, in, item, AT_END);
    case IN_REST:
        return step_rest(parser, in, item, HTTP_BODY);
    case IN_CHUNK_SIZE:
        return step_chunk_size(parser, in);
    case IN_CHUNK_EXTENSION:
        return step_chunk_extension(parser, in);
    case IN_CHUNK:
        return step_known(parser, in, item, AT_CHUNK_END);
    case AT_CHUNK_END:
        return step_chunk_end(parser, in);
    case IN_TRAILERS:
        return step_trailers(parser, in);
    case AT_END:
        parser->state = AT_START;
        return give(parser, item, HTTP_END, in, 0);
    case IN_TUNNEL:
        return step_rest(parser, in, item, HTTP_OPAQUE);
    case BROKEN:
        break;
    }
    return STATUS_BAD_INPUT;
}

static int refuse(const struct http_parser *parser, struct fault *fault)
{
    return fault_set(fault, STATUS_BAD_INPUT, "%s at byte %llu of the stream",
                     parser->problem, (unsigned long long)parser->offset);
}

int http_parser_next(struct http_parser *parser, const char **bytes, size_t *len,
                     struct http_item *item, struct fault *fault)
{
    struct input in = { bytes, len };
    int result;
    do
        result = step(parser, in, item);
    while (result == AGAIN);
    return result < 0 ? refuse(parser, fault) : result;
}

int http_parser_finish(struct http_parser *parser, struct http_item *item,
                       struct fault *fault)
{
    if (parser->state == AT_START || parser->state == IN_TUNNEL)
        return 0;
    if (parser->state == IN_REST || parser->state == AT_END) {
        parser->state = AT_START;
        *item = (struct http_item){ .type = HTTP_END, .offset = parser->offset };
        return 1;
    }
    if (parser->state != BROKEN)
        bad(parser, "the end inside a message");
    return refuse(parser, fault);
}

int http_parser_skip(struct http_parser *parser, uint64_t lost, struct fault *fault)
{
    bool known = parser->state == IN_LENGTH || parser->state == IN_CHUNK;
    bool chunked = parser->state >= IN_CHUNK_SIZE && parser->state <= IN_TRAILERS;
    bool inside = parser->state == IN_REST || parser->state == IN_TUNNEL ||
                  (known && lost <= parser->left);
    if (parser->state == BROKEN)
        return refuse(parser, fault);
    parser->offset += lost;
    if (inside) {
        parser->left -= known ? lost : 0;
        return 0;
    }
    if (!chunked || parser->state == IN_TRAILERS) {
        bad(parser, "a hole over a head or the end of a message");
        return refuse(parser, fault);
    }
    parser->state = IN_CHUNK_SIZE;
    parser->left = 0;
    parser->line_bytes = 0;
    return 1;
}
