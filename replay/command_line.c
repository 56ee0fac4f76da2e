#include "replay/command_line.h"

#include <stdio.h>
#include <string.h>

#include "formats/base/buffer.h"

#define HIDDEN "***"

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* getopt_long takes unique prefixes of long names: "--he" is no other option than
 * --header or --help. */
static bool is_header_option(const char *word, size_t len)
{
    return len >= 4 && strncmp(word, "--header", len) == 0;
}

/* "Name: value" → "Name: ***". */
static void append_hidden_header(struct buffer *out, const char *header)
{
    const char *colon = strchr(header, ':');
    if (colon != NULL) {
        buffer_append(out, header, (size_t)(colon - header));
        buffer_append_text(out, ": ");
    }
    buffer_append_text(out, HIDDEN);
}

/* "http://user:password@host/?key=..." without user, password and query. */
static void append_public_word(struct buffer *out, const char *word)
{
    const char *scheme_end = strstr(word, "://");
    if (scheme_end == NULL) {
        buffer_append_text(out, word);
        return;
    }
    const char *authority = scheme_end + 3;
    size_t authority_len = strcspn(authority, "/?#");
    const char *at = memrchr(authority, '@', authority_len);
    buffer_append(out, word, (size_t)(authority - word));
    if (at != NULL)
        buffer_append_text(out, HIDDEN "@");
    const char *rest = at == NULL ? authority : at + 1;
    size_t rest_len = strcspn(rest, "?#");
    buffer_append(out, rest, rest_len);
    if (rest[rest_len] != '\0')
        buffer_append_text(out, "?" HIDDEN);
}

void command_line_append_word(struct run_texts *words, const char *after,
                              const char *word)
{
    struct buffer shown = BUFFER_INIT;
    const char *equals = strchr(word, '=');
    size_t name_len = equals == NULL ? strlen(word) : (size_t)(equals - word);
    if (strcmp(after, "-H") == 0 || is_header_option(after, strlen(after))) {
        append_hidden_header(&shown, word);
    } else if (equals != NULL && is_header_option(word, name_len)) {
        buffer_append(&shown, word, name_len + 1);
        append_hidden_header(&shown, equals + 1);
    } else if (starts_with(word, "-H") && word[2] != '\0') {
        buffer_append_text(&shown, "-H");
        append_hidden_header(&shown, word + 2);
    } else {
        append_public_word(&shown, word);
    }
    run_texts_append(words, buffer_text(&shown));
    buffer_release(&shown);
}

void command_line_append(struct run_texts *words)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    if (file == NULL)
        return;
    struct buffer line = BUFFER_INIT;
    for (int byte; (byte = fgetc(file)) != EOF;)
        buffer_append_byte(&line, (char)byte);
    fclose(file);
    const char *text = buffer_text(&line);
    const char *after = "";
    for (const char *word = text; word < text + line.len; word += strlen(word) + 1) {
        command_line_append_word(words, after, word);
        after = word;
    }
    buffer_release(&line);
}
