#include "analyze/shell_words.h"

#include <string.h>

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789_-./:=@%+,";

static void append_word(struct buffer *buffer, const char *word)
{
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        buffer_append_text(buffer, word);
        return;
    }
    buffer_append_byte(buffer, '\'');
    for (; *word; word++)
        if (*word == '\'')
            buffer_append_text(buffer, "'\\''");
        else
            buffer_append_byte(buffer, *word);
    buffer_append_byte(buffer, '\'');
}

void buffer_append_shell_words(struct buffer *buffer, const struct run_texts *words)
{
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0)
            buffer_append_byte(buffer, ' ');
        append_word(buffer, words->items[i]);
    }
}
