/* Allocation that cannot fail: out of memory ends the process with a message. Sizes that
 * come from outside are checked against a named limit before they get here. */
#ifndef TOKTRACE_MEMORY_H
#define TOKTRACE_MEMORY_H

#include <stddef.h>

/* Zeroed memory for count items of size bytes. Caller frees with free(). */
void *memory_new(size_t count, size_t size) __attribute__((returns_nonnull));

/* realloc for count items of size bytes; the part beyond the old size is not zeroed. */
void *memory_resize(void *old, size_t count, size_t size)
    __attribute__((returns_nonnull));

/* A copy of text[0..len), NUL-terminated. Caller frees. */
char *memory_copy_text(const char *text, size_t len) __attribute__((returns_nonnull));

/* Makes room for one more item in an array that grows by doubling; returns the array,
 * moved or not. */
void *memory_grow(void *array, size_t count, size_t *capacity, size_t size)
    __attribute__((returns_nonnull));

#endif
