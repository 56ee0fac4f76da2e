#include "formats/sse.h"

#include <string.h>

#include "formats/base/fault.h"

/* One line without its end. */
struct line {
    const char *bytes;
    size_t len;
    bool carried; /* bytes lie in the carry, behind the data of the event */
};

static char *carry_bytes(struct sse_carry *carry)
{
    return carry->heap.len > 0 ? carry->heap.data : carry->space;
}

static void carry_append(struct sse_carry *carry, const char *bytes, size_t len)
{
    if (len == 0)
        return;
    if (carry->heap.len == 0 && len <= sizeof(carry->space) - carry->len) {
        memcpy(carry->space + carry->len, bytes, len);
    } else {
        if (carry->heap.len == 0)
            buffer_append(&carry->heap, carry->space, carry->len);
        buffer_append(&carry->heap, bytes, len);
    }
    carry->len += len;
}

/* Forgets all but the first len bytes; the others stay readable until the next append. */
static void carry_truncate(struct sse_carry *carry, size_t len)
{
    if (carry->heap.len > 0)
        carry->heap.len = len;
    carry->len = len;
}

void sse_feed(struct sse_parser *parser, const char *bytes, size_t len)
{
    parser->next = len > 0 ? bytes : "";
    parser->end = parser->next + len;
    parser->next_lf = NULL;
    parser->fed += len;
}

void sse_start(struct sse_parser *parser)
{
    struct buffer heap = parser->carry.heap;
    if (heap.capacity > SSE_KEPT_CAPACITY)
        buffer_release(&heap);
    heap.len = 0;
    memset(parser, 0, offsetof(struct sse_parser, carry.space));
    parser->carry.heap = heap;
    parser->first_line = true;
    sse_feed(parser, "", 0);
}

void sse_release(struct sse_parser *parser)
{
    buffer_release(&parser->carry.heap);
}

void sse_finish(struct sse_parser *parser)
{
    parser->finished = true;
}

static void forget_event(struct sse_parser *parser)
{
    carry_truncate(&parser->carry, 0);
    parser->view = NULL;
    parser->data_len = 0;
    parser->has_data = false;
    parser->has_type = false;
}

void sse_skip(struct sse_parser *parser)
{
    forget_event(parser);
    parser->after_cr = false;
    parser->first_line = false;
    parser->lost = true;
    parser->lost_first = true;
}

static uint64_t offset(const struct sse_parser *parser)
{
    return parser->fed - (uint64_t)(parser->end - parser->next);
}

/* The first CR or LF among the unread bytes, or NULL. The place of the LF is remembered:
 * a stream with lone CRs would otherwise be searched to its end once per line. */
static const char *find_line_end(struct sse_parser *parser)
{
    const char *next = parser->next;
    if (next == parser->end)
        return NULL;
    if (parser->next_lf == NULL || parser->next_lf < next) {
        const char *lf = memchr(next, '\n', (size_t)(parser->end - next));
        parser->next_lf = lf != NULL ? lf : parser->end;
    }
    const char *cr = memchr(next, '\r', (size_t)(parser->next_lf - next));
    if (cr != NULL)
        return cr;
    return parser->next_lf < parser->end ? parser->next_lf : NULL;
}

/* Moves the data of the event out of the feed: more is to be joined, or the feed goes. */
static void carry_view(struct sse_parser *parser)
{
    if (parser->view != NULL)
        carry_append(&parser->carry, parser->view, parser->data_len);
    parser->view = NULL;
}

/* Takes `len` unread bytes to the raw line in the carry. */
static void carry_line(struct sse_parser *parser, size_t len)
{
    carry_view(parser);
    carry_append(&parser->carry, parser->next, len);
    parser->next += len;
    parser->failed |= parser->carry.len - parser->data_len > SSE_LINE_MAX;
}

static void strip_byte_order_mark(struct sse_parser *parser, struct line *line)
{
    if (parser->first_line && line->len >= 3 &&
        memcmp(line->bytes, "\xef\xbb\xbf", 3) == 0) {
        line->bytes += 3;
        line->len -= 3;
    }
    parser->first_line = false;
}

static void set_carried_line(struct sse_parser *parser, struct line *line)
{
    line->bytes = carry_bytes(&parser->carry) + parser->data_len;
    line->len = parser->carry.len - parser->data_len;
    line->carried = true;
}

/* Consumes the next line and its end, of a CRLF the CR only. False when no line is
 * whole. */
static bool take_line(struct sse_parser *parser, struct line *line)
{
    if (parser->after_cr && parser->next < parser->end) {
        parser->next += *parser->next == '\n';
        parser->after_cr = false;
    }
    const char *line_end = find_line_end(parser);
    size_t len = (size_t)((line_end != NULL ? line_end : parser->end) - parser->next);
    bool begun = parser->carry.len > parser->data_len;
    if (line_end == NULL || begun) {
        carry_line(parser, len);
        set_carried_line(parser, line);
    } else {
        *line = (struct line){ .bytes = parser->next, .len = len };
        parser->next += len;
        parser->failed |= len > SSE_LINE_MAX;
    }
    if (line_end == NULL)
        return parser->finished && line->len > 0;
    parser->after_cr = *line_end == '\r';
    parser->next++;
    return true;
}

/* Joins one more data line to the event. */
static void append_data(struct sse_parser *parser, const struct line *line,
                        const char *value, size_t len)
{
    size_t joint = parser->has_data ? 1 : 0;
    if (parser->data_len + joint + len > SSE_DATA_MAX) {
        parser->failed = true;
        return;
    }
    if (line->carried) {
        /* the value moves down over its field name, which is longer than the joint */
        char *end = carry_bytes(&parser->carry) + parser->data_len;
        memmove(end + joint, value, len);
        if (joint > 0)
            *end = '\n';
    } else if (joint > 0) {
        carry_view(parser);
        carry_append(&parser->carry, "\n", 1);
        carry_append(&parser->carry, value, len);
    } else {
        parser->view = value;
    }
    parser->data_len += joint + len;
    parser->has_data = true;
}

static void set_type(struct sse_parser *parser, const char *value, size_t len)
{
    size_t kept = len < SSE_TYPE_MAX ? len : SSE_TYPE_MAX - 1;
    memcpy(parser->type, value, kept);
    parser->type[kept] = '\0';
    parser->has_type = true;
}

static void read_field(struct sse_parser *parser, const struct line *line)
{
    const char *line_end = line->bytes + line->len;
    const char *colon = memchr(line->bytes, ':', line->len);
    size_t name_len = colon != NULL ? (size_t)(colon - line->bytes) : line->len;
    const char *value = colon != NULL ? colon + 1 : line_end;
    if (value < line_end && *value == ' ')
        value++;
    size_t len = (size_t)(line_end - value);
    if (name_len == 4 && memcmp(line->bytes, "data", 4) == 0)
        append_data(parser, line, value, len);
    else if (name_len == 5 && memcmp(line->bytes, "event", 5) == 0)
        set_type(parser, value, len);
}

/* At a blank line. An event without a data line is none (the standard). */
static bool dispatch(struct sse_parser *parser, struct sse_event *event)
{
    bool whole = parser->has_data;
    if (whole)
        *event = (struct sse_event){
            .data = parser->view != NULL ? parser->view : carry_bytes(&parser->carry),
            .data_len = parser->data_len,
            .type = parser->has_type ? parser->type : "",
            .end_offset = offset(parser),
        };
    forget_event(parser);
    return whole;
}

static void set_comment(const struct sse_parser *parser, const struct line *line,
                        struct sse_event *event)
{
    size_t skip = line->len > 1 && line->bytes[1] == ' ' ? 2 : 1;
    *event = (struct sse_event){
        .data = line->bytes + skip,
        .data_len = line->len - skip,
        .type = "",
        .comment = true,
        .end_offset = offset(parser),
    };
}

/* Of a line behind missing bytes: true when it may be the first of an event. An empty
 * line there may end the event that was cut, or only the line. */
static bool begins_event(const struct line *line)
{
    static const char *const fields[] = { ":", "data:", "event:", "id:", "retry:" };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        size_t len = strlen(fields[i]);
        if (line->len >= len && memcmp(line->bytes, fields[i], len) == 0)
            return true;
    }
    return false;
}

/* True while lines are to be dropped, this one included. */
static bool is_lost(struct sse_parser *parser, const struct line *line)
{
    bool first = parser->lost_first;
    if (!parser->lost)
        return false;
    parser->lost_first = first && line->len == 0;
    parser->lost = first ? !begins_event(line) : line->len > 0;
    return parser->lost;
}

/* True when the line completes an event or is a comment. */
static bool read_line(struct sse_parser *parser, struct line *line,
                      struct sse_event *event)
{
    strip_byte_order_mark(parser, line);
    bool lost = is_lost(parser, line);
    if (line->len == 0)
        return dispatch(parser, event);
    bool comment = line->bytes[0] == ':' && !lost;
    if (comment)
        set_comment(parser, line, event);
    else if (!lost)
        read_field(parser, line);
    if (line->carried)
        carry_truncate(&parser->carry, parser->data_len);
    return comment;
}

int sse_next(struct sse_parser *parser, struct sse_event *event)
{
    struct line line;
    while (take_line(parser, &line) && !parser->failed) {
        if (read_line(parser, &line, event) && !parser->failed)
            return 1;
    }
    if (parser->failed) {
        parser->next = parser->end;
        return STATUS_LIMIT;
    }
    return parser->finished && dispatch(parser, event) ? 1 : 0;
}
