/* Start lines and fields of HTTP/1.x heads; the parser of http_message.h stands on it. */
#ifndef TOKTRACE_HTTP_HEAD_H
#define TOKTRACE_HTTP_HEAD_H

#include "formats/http_message.h"

/* Why a head is refused, and the status that a server would answer. */
struct http_problem {
    const char *text; /* static; NULL: none */
    unsigned status;
};

/* Sets method and target, or status, and the minor version, from a line without its line
 * end. */
struct http_problem http_start_line_parse(struct http_head *head, enum http_role role,
                                          const char *line, size_t len);

/* Checks every field line of head->fields and fills what struct http_head tells of them;
 * the framing follows RFC 9112, 6.3. `bodiless`: the answer to a HEAD. Start line parsed
 * before. */
struct http_problem http_fields_parse(struct http_head *head, enum http_role role,
                                      bool bodiless);

#endif
