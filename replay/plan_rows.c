#include "replay/plan_rows.h"

#include <inttypes.h>
#include <string.h>

#include "formats/base/json.h"

static void append_number(struct buffer *line, const char *key, int64_t value)
{
    buffer_append_text(line, key);
    buffer_append_int(line, value);
}

static void append_session(struct buffer *line, const struct plan *plan,
                           const struct plan_request *request)
{
    const char *name = plan_session_name(plan, request->session);
    buffer_append_text(line, ",\"session\":");
    buffer_append_json_string(line, name, strlen(name));
    append_number(line, ",\"turn\":", request->turn);
    if (request->think_ns != THINK_NONE)
        append_number(line, ",\"think_ns\":", request->think_ns);
    else if (request->turn > 0)
        buffer_append_text(line, ",\"think_ns\":null");
}

static void append_id(struct buffer *line, uint64_t id)
{
    if (id <= INT64_MAX)
        buffer_append_int(line, (int64_t)id);
    else
        buffer_printf(line, "%" PRIu64, id);
}

static void append_blocks(struct buffer *line, const struct plan *plan,
                          const struct plan_request *request)
{
    append_number(line, ",\"block_tokens\":", request->block_tokens);
    buffer_append_text(line, ",\"hash_ids\":[");
    struct block_cursor blocks = plan_blocks(plan, request);
    for (uint32_t i = 0; i < request->block_count; i++) {
        if (i > 0)
            buffer_append_byte(line, ',');
        append_id(line, block_cursor_next(&blocks));
    }
    buffer_append_byte(line, ']');
}

void plan_row_append(struct buffer *line, const struct plan *plan, size_t index)
{
    const struct plan_request *request = &plan->requests[index];
    append_number(line, "{\"row\":", (int64_t)index);
    if (plan->has_times)
        append_number(line, ",\"due_ns\":", request->due_ns);
    append_number(line, ",\"input_tokens\":", request->input_tokens);
    append_number(line, ",\"output_tokens\":", request->output_tokens);
    if (request->session != SESSION_NONE)
        append_session(line, plan, request);
    if (request->block_count > 0)
        append_blocks(line, plan, request);
    if (request->text != TEXT_NONE) {
        const struct request_text *text = &plan->texts[request->text];
        buffer_append_text(line, ",\"messages\":");
        buffer_append(line, plan->text_bytes.data + text->start, text->len);
    }
    append_number(line, ",\"trace_row\":", (int64_t)request->trace_row);
    if (request->source > 0)
        append_number(line, ",\"trace\":", request->source);
    buffer_append_text(line, "}\n");
}
