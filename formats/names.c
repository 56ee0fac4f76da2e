#include "formats/names.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash.h"
#include "formats/base/memory.h"

enum { SLOTS_MIN = 64 };

void name_table_release(struct name_table *table)
{
    buffer_release(&table->bytes);
    free(table->starts);
    free(table->slots);
    memset(table, 0, sizeof *table);
}

const char *name_table_text(const struct name_table *table, uint32_t index)
{
    return table->bytes.data + table->starts[index];
}

static size_t name_len(const struct name_table *table, size_t index)
{
    size_t next = index + 1 < table->count ? table->starts[index + 1] : table->bytes.len;
    return next - table->starts[index] - 1;
}

/* The slot that holds the name, or the free one where it belongs. */
static size_t find_slot(const struct name_table *table, const char *name, size_t len)
{
    size_t mask = table->slot_count - 1;
    size_t slot = hash_fnv1a(HASH_FNV1A_START, name, len) & mask;
    for (; table->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t index = table->slots[slot] - 1;
        if (name_len(table, index) == len
            && memcmp(name_table_text(table, index), name, len) == 0)
            break;
    }
    return slot;
}

static void grow_slots(struct name_table *table)
{
    free(table->slots);
    table->slot_count = table->slot_count == 0 ? SLOTS_MIN : 2 * table->slot_count;
    table->slots = memory_new(table->slot_count, sizeof *table->slots);
    for (size_t i = 0; i < table->count; i++) {
        size_t slot = find_slot(table, name_table_text(table, (uint32_t)i),
                                name_len(table, i));
        table->slots[slot] = (uint32_t)i + 1;
    }
}

uint32_t name_table_add(struct name_table *table, const char *name, size_t len)
{
    if (2 * (table->count + 1) > table->slot_count)
        grow_slots(table);
    size_t slot = find_slot(table, name, len);
    if (table->slots[slot] != 0)
        return table->slots[slot] - 1;
    table->starts = memory_grow(table->starts, table->count, &table->capacity,
                                sizeof *table->starts);
    table->starts[table->count++] = table->bytes.len;
    buffer_append(&table->bytes, name, len);
    buffer_append_byte(&table->bytes, '\0');
    table->slots[slot] = (uint32_t)table->count;
    return (uint32_t)table->count - 1;
}

uint32_t name_table_find(const struct name_table *table, const char *name, size_t len)
{
    if (table->slot_count == 0)
        return NAME_NONE;
    uint32_t entry = table->slots[find_slot(table, name, len)];
    return entry == 0 ? NAME_NONE : entry - 1;
}
