/* Chat messages as other tools record them, rewritten as the APIs take them:
 * [{"role":"user","content":"…"}, …]. */
#ifndef TOKTRACE_MESSAGES_H
#define TOKTRACE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"

/* Bytes of text per token, where no tokenizer was asked: a rule of thumb for English. */
enum { BYTES_PER_TOKEN = 4 };

/* The estimate for a text: at least 1 token unless it is empty. */
uint32_t tokens_of_text(size_t bytes);

/* Appends one message to an array that is open in `out`. `text` is the inside of a
 * JSON string, escapes as they are. Roles but system, user and assistant become user. */
void messages_append(struct buffer *out, bool first, const char *role, size_t role_len,
                     const char *text, size_t text_len);

/* Appends the array of the messages in `json`: objects with a role, and text as
 * "content" (a string, or parts that have "text") or as "parts" (that have "content").
 * *text_bytes gets the length of all text. False when it is no such array; `out` is
 * then to be cut back. */
bool messages_rewrite(struct buffer *out, const char *json, size_t len,
                      size_t *text_bytes);

#endif
