#include "formats/record_fields.h"

#include <assert.h>
#include <string.h>

#include "formats/arrivals.h"
#include "formats/base/bytes.h"

static bool is_bytes(enum field_type type)
{
    return type == FIELD_TEXT || type == FIELD_BYTES;
}

/* Unsigned members of any width. */
static uint64_t member_load(const void *member, size_t size)
{
    uint8_t narrow;
    uint16_t half;
    uint32_t word;
    uint64_t value;
    switch (size) {
    case 1:
        memcpy(&narrow, member, 1);
        return narrow;
    case 2:
        memcpy(&half, member, 2);
        return half;
    case 4:
        memcpy(&word, member, 4);
        return word;
    default:
        assert(size == 8);
        memcpy(&value, member, 8);
        return value;
    }
}

static void member_store(void *member, size_t size, uint64_t value)
{
    uint8_t narrow = (uint8_t)value;
    uint16_t half = (uint16_t)value;
    uint32_t word = (uint32_t)value;
    switch (size) {
    case 1:
        memcpy(member, &narrow, 1);
        break;
    case 2:
        memcpy(member, &half, 2);
        break;
    case 4:
        memcpy(member, &word, 4);
        break;
    default:
        assert(size == 8);
        memcpy(member, &value, 8);
    }
}

size_t fields_bound(const struct field_table *table)
{
    size_t bound = 0;
    for (size_t i = 0; i < table->count; i++) {
        bound += 2 * VARINT_MAX_BYTES;
        if (table->specs[i].type == FIELD_TEXT)
            bound += table->specs[i].size;
    }
    return bound;
}

static uint8_t *key_write(uint8_t *at, const struct field_spec *spec)
{
    return varint_write(at, (uint64_t)spec->id << 1 | is_bytes(spec->type));
}

static uint8_t *number_encode(uint8_t *at, const struct field_spec *spec, uint64_t value)
{
    return varint_write(key_write(at, spec), value);
}

static uint8_t *bytes_encode(uint8_t *at, const struct field_spec *spec,
                             const void *bytes, size_t len)
{
    if (len == 0)
        return at;
    at = number_encode(at, spec, len);
    memcpy(at, bytes, len);
    return at + len;
}

/* *previous_ns: the time field before, 0 at the start of a record. */
static uint8_t *field_encode(uint8_t *at, const struct field_spec *spec,
                             const void *member, int64_t *previous_ns)
{
    int64_t number;
    struct byte_span span;
    switch (spec->type) {
    case FIELD_COUNT:
    case FIELD_BOOL:
        return number_encode(at, spec, member_load(member, spec->size));
    case FIELD_SIGNED:
        memcpy(&number, member, sizeof number);
        return number_encode(at, spec, zigzag_encode(number));
    case FIELD_TIME:
        memcpy(&number, member, sizeof number);
        if (!run_time_is_stored(number))
            return at;
        at = number_encode(at, spec, zigzag_encode(number - *previous_ns));
        *previous_ns = number;
        return at;
    case FIELD_TEXT:
        return bytes_encode(at, spec, member, strnlen(member, spec->size - 1u));
    case FIELD_BYTES:
        memcpy(&span, member, sizeof span);
        return bytes_encode(at, spec, span.at, span.len);
    }
    return at;
}

uint8_t *fields_encode(const struct field_table *table, const void *object, uint8_t *at)
{
    int64_t previous_ns = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct field_spec *spec = &table->specs[i];
        const char *member = (const char *)object + spec->offset;
        const char *blank = (const char *)table->blank + spec->offset;
        if (spec->required || memcmp(member, blank, spec->size) != 0)
            at = field_encode(at, spec, member, &previous_ns);
    }
    return at;
}

/* One field as it lies in a record. */
struct stored_field {
    uint64_t id;
    bool bytes;
    uint64_t value; /* without bytes */
    struct byte_span span;
};

/* The next position, or NULL when the field is malformed or cut off. */
static const uint8_t *stored_field_read(struct stored_field *field, const uint8_t *at,
                                        const uint8_t *end)
{
    uint64_t key;
    at = varint_read(at, end, &key);
    if (!at)
        return NULL;
    field->id = key >> 1;
    field->bytes = key & 1;
    at = varint_read(at, end, &field->value);
    if (!at || !field->bytes)
        return at;
    if (field->value > (uint64_t)(end - at))
        return NULL;
    field->span = (struct byte_span){ at, (size_t)field->value };
    return at + field->span.len;
}

static int number_decode(const struct field_spec *spec, void *member, uint64_t value,
                         struct fault *fault)
{
    uint64_t max = spec->type == FIELD_BOOL ? 1 : UINT64_MAX >> (64 - 8 * spec->size);
    if (value > max)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "field %u is %llu, at most %llu is possible", spec->id,
                         (unsigned long long)value, (unsigned long long)max);
    member_store(member, spec->size, value);
    return STATUS_OK;
}

static int time_decode(const struct field_spec *spec, void *member, uint64_t value,
                       int64_t *previous_ns, struct fault *fault)
{
    int64_t time_ns;
    if (__builtin_add_overflow(*previous_ns, zigzag_decode(value), &time_ns)
        || !run_time_is_stored(time_ns))
        return fault_set(fault, STATUS_BAD_INPUT, "field %u is a time beyond 72 years",
                         spec->id);
    memcpy(member, &time_ns, sizeof time_ns);
    *previous_ns = time_ns;
    return STATUS_OK;
}

static int text_decode(const struct field_spec *spec, char *member, struct byte_span text,
                       struct fault *fault)
{
    if (text.len >= spec->size)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "field %u has %zu bytes, at most %d are possible", spec->id,
                         text.len, spec->size - 1);
    if (text.len && memchr(text.at, '\0', text.len))
        return fault_set(fault, STATUS_BAD_INPUT, "field %u is text with a NUL in it",
                         spec->id);
    memcpy(member, text.at, text.len);
    member[text.len] = '\0';
    return STATUS_OK;
}

static int field_decode(const struct field_spec *spec, void *member,
                        const struct stored_field *field, int64_t *previous_ns,
                        struct fault *fault)
{
    if (field->bytes != is_bytes(spec->type))
        return fault_set(fault, STATUS_BAD_INPUT, "field %u is %s, expected %s", spec->id,
                         field->bytes ? "bytes" : "a number",
                         field->bytes ? "a number" : "bytes");
    int64_t number;
    switch (spec->type) {
    case FIELD_COUNT:
    case FIELD_BOOL:
        return number_decode(spec, member, field->value, fault);
    case FIELD_SIGNED:
        number = zigzag_decode(field->value);
        memcpy(member, &number, sizeof number);
        return STATUS_OK;
    case FIELD_TIME:
        return time_decode(spec, member, field->value, previous_ns, fault);
    case FIELD_TEXT:
        return text_decode(spec, member, field->span, fault);
    case FIELD_BYTES:
        memcpy(member, &field->span, sizeof field->span);
        return STATUS_OK;
    }
    return STATUS_OK;
}

/* Passes over the fields of the table from *next on that are missing: those before id. */
static int pass_missing(const struct field_table *table, uint64_t id, size_t *next,
                        struct fault *fault)
{
    for (; *next < table->count && table->specs[*next].id < id; ++*next)
        if (table->specs[*next].required)
            return fault_set(fault, STATUS_BAD_INPUT, "field %u is missing",
                             table->specs[*next].id);
    return STATUS_OK;
}

static const uint8_t *next_field(struct stored_field *field, const uint8_t *at,
                                 const uint8_t *end, struct fault *fault)
{
    uint64_t id_before = field->id;
    at = stored_field_read(field, at, end);
    if (!at)
        fault_set(fault, STATUS_BAD_INPUT, "malformed field after field %llu",
                  (unsigned long long)id_before);
    else if (field->id <= id_before)
        fault_set(fault, STATUS_BAD_INPUT, "field %llu comes after field %llu",
                  (unsigned long long)field->id, (unsigned long long)id_before);
    return at && field->id > id_before ? at : NULL;
}

int fields_decode(const struct field_table *table, void *object, struct byte_span payload,
                  uint64_t *unknown, struct fault *fault)
{
    const uint8_t *at = payload.at;
    const uint8_t *end = at + payload.len;
    struct stored_field field = { 0 };
    int64_t previous_ns = 0;
    size_t next = 0; /* spec that is due; both the table and the record ascend */
    memcpy(object, table->blank, table->object_bytes);
    while (at < end) {
        at = next_field(&field, at, end, fault);
        if (!at)
            return STATUS_BAD_INPUT;
        int status = pass_missing(table, field.id, &next, fault);
        if (status)
            return status;
        if (next == table->count || table->specs[next].id != field.id) {
            ++*unknown;
            continue;
        }
        const struct field_spec *spec = &table->specs[next++];
        status = field_decode(spec, (char *)object + spec->offset, &field, &previous_ns,
                              fault);
        if (status)
            return status;
    }
    return pass_missing(table, UINT64_MAX, &next, fault);
}
