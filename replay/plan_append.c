#include <string.h>

#include "formats/base/memory.h"
#include "replay/plan_transform.h"

/* Moves the bytes of `from` behind those of `to`. */
static void take_bytes(struct buffer *to, struct buffer *from)
{
    if (to->len == 0) {
        buffer_release(to);
        *to = *from;
        *from = (struct buffer)BUFFER_INIT;
    } else {
        buffer_append(to, from->data, from->len);
    }
}

uint32_t plan_take_texts(struct plan *plan, struct request_trace *trace)
{
    uint32_t first = (uint32_t)plan->text_count;
    if (trace->text_count == 0)
        return first;
    plan->texts = memory_resize(plan->texts, plan->text_count + trace->text_count,
                                sizeof *plan->texts);
    for (size_t i = 0; i < trace->text_count; i++) {
        struct request_text text = trace->texts[i];
        text.start += plan->text_bytes.len;
        plan->texts[plan->text_count++] = text;
    }
    take_bytes(&plan->text_bytes, &trace->text_bytes);
    return first;
}

/* The session's number in the plan: sources but the first have theirs marked,
 * "name+1". */
static uint32_t session_of_source(struct plan *plan, const struct request_trace *trace,
                                  uint32_t session, uint32_t source,
                                  struct buffer *scratch)
{
    const char *name = name_table_text(&trace->sessions, session);
    buffer_clear(scratch);
    buffer_append_text(scratch, name);
    if (source > 0) {
        buffer_append_byte(scratch, '+');
        buffer_append_int(scratch, source);
    }
    return name_table_add(&plan->sessions, scratch->data, scratch->len);
}

void plan_append_trace(struct plan *plan, struct request_trace *trace, uint32_t source)
{
    size_t first_block = plan->block_bytes.len;
    struct buffer name = BUFFER_INIT;
    take_bytes(&plan->block_bytes, &trace->block_bytes);
    uint32_t first_text = plan_take_texts(plan, trace);
    plan->capacity = plan->count + trace->count;
    plan->requests = memory_resize(plan->requests, plan->capacity,
                                   sizeof *plan->requests);
    for (size_t i = 0; i < trace->count; i++) {
        const struct request_row *row = &trace->rows[i];
        struct plan_request request = {
            .due_ns = row->time_ns,
            .think_ns = row->think_ns,
            .trace_row = row->row,
            .first_block = first_block + row->first_block,
            .block_count = row->block_count,
            .block_tokens = row->block_tokens,
            .input_tokens = row->input_tokens,
            .output_tokens = row->output_tokens,
            .session = SESSION_NONE,
            .text = row->text == TEXT_NONE ? TEXT_NONE : first_text + row->text,
            .source = source,
        };
        if (row->session != SESSION_NONE)
            request.session = session_of_source(plan, trace, row->session, source, &name);
        plan->requests[plan->count++] = request;
    }
    buffer_release(&name);
}
