#include "formats/base/nearest_name.h"

#include <string.h>

enum { NAME_MAX_LEN = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's edit distance, one row of the table at a time; both names at most
 * NAME_MAX_LEN. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t row[NAME_MAX_LEN + 1];
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_len];
}

void nearest_name_try(struct nearest_name *nearest, const char *word,
                      const char *candidate)
{
    size_t word_len = strlen(word);
    size_t candidate_len = strlen(candidate);
    if (word_len == 0 || word_len > NAME_MAX_LEN || candidate_len > NAME_MAX_LEN)
        return;
    size_t distance = edit_distance(word, word_len, candidate, candidate_len);
    size_t longer = word_len > candidate_len ? word_len : candidate_len;
    if (strncmp(word, candidate, word_len) == 0)
        distance = 1;
    if (distance > (longer + 2) / 3 || distance >= longer)
        return;
    if (nearest->name == NULL || distance < nearest->distance)
        *nearest = (struct nearest_name){ .name = candidate, .distance = distance };
}
