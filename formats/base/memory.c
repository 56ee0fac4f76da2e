#include "formats/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(size_t count, size_t size) __attribute__((noreturn));

static void out_of_memory(size_t count, size_t size)
{
    fprintf(stderr, "out of memory: %zu items of %zu bytes\n", count, size);
    abort();
}

void *memory_new(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL)
        out_of_memory(count, size);
    return memory;
}

void *memory_resize(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count > 0 ? count : 1, size);
    if (memory == NULL)
        out_of_memory(count, size);
    return memory;
}

char *memory_copy_text(const char *text, size_t len)
{
    char *copy = memory_new(len + 1, 1);
    memcpy(copy, text, len);
    return copy;
}

void *memory_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t wanted = *capacity < 8 ? 16 : *capacity * 2;
    void *grown = memory_resize(array, wanted, size);
    *capacity = wanted;
    return grown;
}
