/* Text in a page of HTML. */
#ifndef TOKTRACE_HTML_TEXT_H
#define TOKTRACE_HTML_TEXT_H

#include <stddef.h>

#include "formats/base/buffer.h"

/* Appends text as it may stand in an element or between quotes of an attribute: well
 * formed UTF-8 of at most characters_max characters, an ellipsis after a cut; controls
 * and marks of direction become U+FFFD, a line feed becomes a space. */
void html_append_text(struct buffer *page, const char *text, size_t characters_max);

#endif
