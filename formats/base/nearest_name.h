/* Guesses which of a few names a misspelt word was meant to be. */
#ifndef TOKTRACE_NEAREST_NAME_H
#define TOKTRACE_NEAREST_NAME_H

#include <stddef.h>

struct nearest_name {
    const char *name; /* the best so far; NULL: none is near */
    size_t distance;
};

/* Compares one more candidate. Start from {0}; the first of equally near names wins. Near
 * means at most a third of the letters differ by Levenshtein's distance, or `word` begins
 * the candidate. */
void nearest_name_try(struct nearest_name *nearest, const char *word,
                      const char *candidate);

#endif
