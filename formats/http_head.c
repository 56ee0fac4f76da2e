#include "formats/http_head.h"

#include <string.h>
#include <strings.h>

#define NO_PROBLEM ((struct http_problem){ NULL, 0 })

static struct http_problem bad(const char *text)
{
    return (struct http_problem){ text, 400 };
}

static bool is_token_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte && strchr("!#$%&'*+-.^_`|~", byte));
}

static bool is_token(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!is_token_byte(text[i]))
            return false;
    }
    return len > 0;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static struct http_text trimmed(const char *text, size_t len)
{
    while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        len--;
    while (len && (*text == ' ' || *text == '\t')) {
        text++;
        len--;
    }
    return (struct http_text){ text, len };
}

bool http_text_equals(struct http_text text, const char *other)
{
    return text.text && strlen(other) == text.len &&
           !strncasecmp(text.text, other, text.len);
}

static struct http_problem version_parse(struct http_head *head, const char *text,
                                         size_t len)
{
    if (len != 8 || memcmp(text, "HTTP/", 5) || !is_digit(text[5]) || text[6] != '.' ||
        !is_digit(text[7]))
        return bad("no HTTP version in the start line");
    if (text[5] != '1')
        return (struct http_problem){ "an HTTP version other than 1.x", 505 };
    head->minor_version = (unsigned)(text[7] - '0');
    return NO_PROBLEM;
}

static struct http_problem request_line_parse(struct http_head *head, const char *line,
                                              size_t len)
{
    const char *space = memchr(line, ' ', len);
    const char *last = memrchr(line, ' ', len);
    if (!space || last == space)
        return bad("a request line without method, target and version");
    head->method = (struct http_text){ line, (size_t)(space - line) };
    head->target = (struct http_text){ space + 1, (size_t)(last - space - 1) };
    if (!is_token(line, head->method.len))
        return bad("a method that is no token");
    if (!head->target.len || memchr(head->target.text, ' ', head->target.len))
        return bad("a request target with a space, or none");
    return version_parse(head, last + 1, len - (size_t)(last + 1 - line));
}

static struct http_problem status_line_parse(struct http_head *head, const char *line,
                                             size_t len)
{
    if (len < 12 || line[8] != ' ' || (len > 12 && line[12] != ' '))
        return bad("a status line without version and status");
    unsigned status = 0;
    for (size_t i = 9; i < 12; i++) {
        if (!is_digit(line[i]))
            return bad("a status that is no number");
        status = status * 10 + (unsigned)(line[i] - '0');
    }
    if (status < 100)
        return bad("a status below 100");
    head->status = status;
    return version_parse(head, line, 8);
}

struct http_problem http_start_line_parse(struct http_head *head, enum http_role role,
                                          const char *line, size_t len)
{
    return role == HTTP_REQUESTS ? request_line_parse(head, line, len)
                                 : status_line_parse(head, line, len);
}

/* What the fields say about the connection and the body, before it is weighed. */
struct claims {
    bool close;
    bool keep_alive;
    bool upgrade_token;
    bool upgrade_field;
    bool has_length;
    bool has_coding;
    bool chunked_last;
};

/* The next element of a comma-separated list; false at its end. Empty elements are
 * skipped. */
static bool list_next(struct http_text *list, struct http_text *element)
{
    while (list->len) {
        const char *comma = memchr(list->text, ',', list->len);
        size_t len = comma ? (size_t)(comma - list->text) : list->len;
        *element = trimmed(list->text, len);
        size_t used = comma ? len + 1 : len;
        list->text += used;
        list->len -= used;
        if (element->len)
            return true;
    }
    return false;
}

static bool length_parse(struct http_text text, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.text[i]) || __builtin_mul_overflow(*value, 10U, value) ||
            __builtin_add_overflow(*value, (unsigned)(text.text[i] - '0'), value))
            return false;
    }
    return text.len > 0 && *value <= INT64_MAX;
}

/* Equal repetitions are one length; anything else would let two readers split the stream
 * differently. */
static struct http_problem take_length(struct http_head *head, struct claims *claims,
                                       struct http_text value)
{
    struct http_text element;
    if (!value.len)
        return bad("an empty Content-Length");
    while (list_next(&value, &element)) {
        uint64_t length;
        if (!length_parse(element, &length))
            return bad("a Content-Length that is no number below 2^63");
        if (claims->has_length && length != head->content_length)
            return bad("conflicting Content-Lengths");
        claims->has_length = true;
        head->content_length = length;
    }
    return claims->has_length ? NO_PROBLEM : bad("an empty Content-Length");
}

static struct http_problem take_coding(struct http_head *head, struct claims *claims,
                                       struct http_text value)
{
    struct http_text element;
    while (list_next(&value, &element)) {
        if (claims->chunked_last)
            return bad("a transfer coding after chunked");
        claims->has_coding = true;
        if (http_text_equals(element, "chunked"))
            claims->chunked_last = true;
        else if (!http_text_equals(element, "identity"))
            head->coded = true;
    }
    return NO_PROBLEM;
}

static struct http_problem take_connection(struct http_head *head, struct claims *claims,
                                           struct http_text value)
{
    (void)head;
    struct http_text element;
    while (list_next(&value, &element)) {
        claims->close |= http_text_equals(element, "close");
        claims->keep_alive |= http_text_equals(element, "keep-alive");
        claims->upgrade_token |= http_text_equals(element, "upgrade");
    }
    return NO_PROBLEM;
}

static struct http_problem take_expect(struct http_head *head, struct claims *claims,
                                       struct http_text value)
{
    (void)claims;
    head->expect_continue |= http_text_equals(value, "100-continue");
    return NO_PROBLEM;
}

static struct http_problem take_upgrade(struct http_head *head, struct claims *claims,
                                        struct http_text value)
{
    (void)head;
    claims->upgrade_field |= value.len > 0;
    return NO_PROBLEM;
}

static struct http_problem take_field(struct http_head *head, struct claims *claims,
                                      struct http_text name, struct http_text value)
{
    static const struct {
        const char *name;
        struct http_problem (*take)(struct http_head *, struct claims *,
                                    struct http_text);
    } known[] = {
        { "content-length", take_length }, { "transfer-encoding", take_coding },
        { "connection", take_connection }, { "expect", take_expect },
        { "upgrade", take_upgrade },
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (http_text_equals(name, known[i].name))
            return known[i].take(head, claims, value);
    }
    return NO_PROBLEM;
}

/* The next field line; 1, 0 at the end, -1 for a line that is no field. */
static int field_next(struct http_text *lines, struct http_text *name,
                      struct http_text *value)
{
    if (!lines->len)
        return 0;
    const char *end = memchr(lines->text, '\n', lines->len);
    size_t len = (size_t)(end - lines->text);
    const char *colon = memchr(lines->text, ':', len);
    if (!colon || !is_token(lines->text, (size_t)(colon - lines->text)))
        return -1;
    *name = (struct http_text){ lines->text, (size_t)(colon - lines->text) };
    *value = trimmed(colon + 1, (size_t)(end - colon - 1));
    lines->text = end + 1;
    lines->len -= len + 1;
    return 1;
}

struct http_text http_head_field(const struct http_head *head, const char *name)
{
    struct http_text lines = head->fields, field, value;
    while (field_next(&lines, &field, &value) > 0) {
        if (http_text_equals(field, name))
            return value;
    }
    return (struct http_text){ NULL, 0 };
}

/* RFC 9112, 6.3, in its order. */
static struct http_problem frame(struct http_head *head, enum http_role role,
                                 bool bodiless, const struct claims *claims)
{
    bool response = role == HTTP_RESPONSES;
    if (response &&
        (bodiless || head->status < 200 || head->status == 204 || head->status == 304))
        head->framing = HTTP_NO_BODY;
    else if (claims->chunked_last)
        head->framing = HTTP_CHUNKED;
    else if (claims->has_coding && !response)
        return bad("a request whose last transfer coding is not chunked");
    else if (claims->has_coding)
        head->framing = HTTP_UNTIL_CLOSE;
    else if (claims->has_length)
        head->framing = HTTP_LENGTH;
    else
        head->framing = response ? HTTP_UNTIL_CLOSE : HTTP_NO_BODY;
    return NO_PROBLEM;
}

struct http_problem http_fields_parse(struct http_head *head, enum http_role role,
                                      bool bodiless)
{
    struct claims claims = { 0 };
    struct http_text lines = head->fields, name, value;
    int got;
    while ((got = field_next(&lines, &name, &value)) > 0) {
        struct http_problem problem = take_field(head, &claims, name, value);
        if (problem.text)
            return problem;
    }
    if (got < 0)
        return bad("a header line that is no field");
    head->upgrade = claims.upgrade_token && claims.upgrade_field;
    head->content_type = http_head_field(head, "content-type");
    head->content_encoding = http_head_field(head, "content-encoding");
    head->retry_after = http_head_field(head, "retry-after");
    struct http_problem problem = frame(head, role, bodiless, &claims);
    bool persistent = head->minor_version ? !claims.close
                                          : claims.keep_alive && !claims.close;
    /* both at once, or a coding under 1.0, may hide a second message: nothing may follow
     * this one */
    bool suspect = claims.has_coding && (claims.has_length || !head->minor_version);
    head->keep_alive = persistent && !suspect && head->framing != HTTP_UNTIL_CLOSE;
    return problem;
}
