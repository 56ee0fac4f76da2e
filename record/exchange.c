#include "record/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

enum { CONTENT_TYPE_MAX = 128, NO_EVENT = REQUEST_EVENTS_MAX };

static uint64_t sum_retransmitted(const struct flow *flow)
{
    return flow->directions[0].counts.retransmitted +
           flow->directions[1].counts.retransmitted;
}

static uint64_t sum_reordered(const struct flow *flow)
{
    return flow->directions[0].counts.reordered + flow->directions[1].counts.reordered;
}

static uint64_t sum_mismatched(const struct flow *flow)
{
    return flow->directions[0].counts.mismatched + flow->directions[1].counts.mismatched;
}

/* SYN to SYN-ACK, rounded; COUNT_NONE where either is missing. */
static uint32_t round_trip_us(const struct flow *flow)
{
    int64_t ns;
    if (flow->syn_ns == TIME_NONE || flow->syn_ack_ns == TIME_NONE ||
        __builtin_sub_overflow(flow->syn_ack_ns, flow->syn_ns, &ns) || ns < 0 ||
        ns / NS_PER_US >= COUNT_NONE)
        return COUNT_NONE;
    return (uint32_t)((ns + NS_PER_US / 2) / NS_PER_US);
}

struct exchange *exchange_create(const struct flow *flow, uint64_t row,
                                 uint32_t connection_request, int64_t time_ns)
{
    struct exchange *exchange = memory_new(1, sizeof(*exchange));
    struct arrival_request *record = &exchange->record;
    arrival_request_init(record);
    record->row = row;
    record->due_ns = record->start_ns = time_ns;
    record->connection_request = connection_request;
    record->local_port = flow->ends[flow->client].port;
    record->remote_port = flow->ends[1 - flow->client].port;
    record->min_rtt_us = round_trip_us(flow);
    if (connection_request == 1) {
        record->connect_start_ns = flow->syn_ns;
        record->connect_end_ns = flow->established_ns;
    } else {
        record->flags |= REQUEST_REUSED_CONNECTION;
    }
    if (!flow->syn_seen)
        record->flags |= REQUEST_WIRE_NO_SYN;
    exchange->retransmitted_before = sum_retransmitted(flow);
    exchange->reordered_before = sum_reordered(flow);
    exchange->mismatched_before = sum_mismatched(flow);
    exchange->unknown = NO_EVENT;
    exchange->body_ns = TIME_NONE;
    exchange->copy.body_whole = true;
    answer_start(&exchange->answer);
    return exchange;
}

void exchange_free(struct exchange *exchange)
{
    answer_release(&exchange->answer);
    free(exchange->record.events);
    buffer_release(&exchange->copy.target);
    buffer_release(&exchange->copy.body);
    free(exchange);
}

size_t exchange_memory(const struct exchange *exchange)
{
    return sizeof(*exchange) + exchange->event_capacity * sizeof(struct arrival_event) +
           exchange->copy.target.capacity + exchange->copy.body.capacity +
           answer_memory(&exchange->answer);
}

static struct arrival_event *add_event(struct exchange *exchange)
{
    struct arrival_request *record = &exchange->record;
    if (record->event_count == REQUEST_EVENTS_MAX) {
        record->flags |= REQUEST_EVENTS_CUT;
        return NULL;
    }
    if (record->event_count == exchange->event_capacity)
        record->events = memory_grow(record->events, record->event_count,
                                     &exchange->event_capacity, sizeof(*record->events));
    struct arrival_event *event = &record->events[record->event_count++];
    *event = (struct arrival_event){ .arrival_ns = TIME_NONE, .app_ns = TIME_NONE };
    return event;
}

static void add_unknown_event(struct exchange *exchange)
{
    struct arrival_request *record = &exchange->record;
    size_t count = record->event_count;
    if (count && record->events[count - 1].flags & EVENT_FLAG_UNKNOWN_TIME)
        return;
    struct arrival_event *event = add_event(exchange);
    if (!event)
        return;
    event->kind = EVENT_OTHER;
    event->flags = EVENT_FLAG_UNKNOWN_TIME;
    if (exchange->unknown == NO_EVENT)
        exchange->unknown = count;
}

/* Gives tokens that were brought by lost events to the event that stands for them. */
static void add_unknown_tokens(struct exchange *exchange, size_t index, uint64_t tokens)
{
    struct arrival_event *event = &exchange->record.events[index];
    event->kind = EVENT_CONTENT;
    uint64_t sum = event->tokens + tokens;
    event->tokens = sum < COUNT_NONE ? (uint32_t)sum : COUNT_NONE - 1;
}

/* Continuous usage counts lost tokens with the first token event behind the gap. */
static uint32_t take_out_lost_tokens(struct exchange *exchange,
                                     const struct answer_event *event)
{
    size_t last = exchange->record.event_count;
    while (last > 0 &&
           !(exchange->record.events[last - 1].flags & EVENT_FLAG_UNKNOWN_TIME))
        last--;
    if (last == 0 || event->tokens <= 1)
        return event->tokens;
    add_unknown_tokens(exchange, last - 1, event->tokens - 1);
    return 1;
}

static void take_event(void *context, const struct answer_event *event)
{
    struct exchange *exchange = context;
    uint32_t tokens = event->tokens;
    if (exchange->after_gap && event_kind_is_token(event->kind)) {
        tokens = take_out_lost_tokens(exchange, event);
        exchange->after_gap = false;
    }
    struct arrival_event *added = add_event(exchange);
    if (!added)
        return;
    added->arrival_ns = exchange->body_ns;
    added->tokens = tokens;
    added->choice = event->choice;
    added->kind = event->kind;
    added->flags = event->flags;
}

static bool is_coded(const struct http_head *head)
{
    return head->coded || (head->content_encoding.len > 0 &&
                           !http_text_equals(head->content_encoding, "identity"));
}

void exchange_answer_head(struct exchange *exchange, const struct http_head *head,
                          int64_t start_ns)
{
    struct arrival_request *record = &exchange->record;
    exchange->head_seen = true;
    record->headers_ns = start_ns;
    record->http_status = (uint16_t)head->status;
    char content_type[CONTENT_TYPE_MAX] = "";
    if (head->content_type.len < sizeof(content_type) && head->content_type.len > 0)
        memcpy(content_type, head->content_type.text, head->content_type.len);
    exchange->opaque = is_coded(head) && head->framing != HTTP_NO_BODY;
    answer_head(&exchange->answer, head->status, content_type);
}

void exchange_answer_body(struct exchange *exchange, const char *bytes, size_t len,
                          int64_t delivered_ns)
{
    exchange->body_ns = delivered_ns;
    if (!exchange->opaque)
        answer_feed(&exchange->answer, bytes, len, take_event, exchange);
}

void exchange_answer_gap(struct exchange *exchange)
{
    exchange->body_cut = true;
    answer_skip(&exchange->answer);
    if (exchange->answer.result.flags & REQUEST_STREAMED &&
        !answer_is_done(&exchange->answer)) {
        add_unknown_event(exchange);
        exchange->after_gap = true;
    }
}

/* Tokens that usage reports and no event brought were in the gaps. */
static void settle_lost_tokens(struct exchange *exchange)
{
    struct arrival_request *record = &exchange->record;
    uint64_t brought = 0;
    for (size_t i = 0; i < record->event_count; i++)
        brought += record->events[i].tokens;
    if (exchange->unknown == NO_EVENT || record->usage_completion_tokens == COUNT_NONE ||
        brought > record->usage_completion_tokens)
        return;
    if (brought < record->usage_completion_tokens)
        add_unknown_tokens(exchange, exchange->unknown,
                           record->usage_completion_tokens - brought);
    record->flags &= ~(uint32_t)REQUEST_TOKEN_MISMATCH;
}

static enum outcome judge(const struct exchange *exchange, enum body_end end,
                          enum outcome open_outcome)
{
    enum outcome outcome = exchange->answer.result.outcome;
    bool success = exchange->record.http_status >= 200 &&
                   exchange->record.http_status <= 299;
    bool unread = exchange->opaque || exchange->body_cut;
    if (end == BODY_COMPLETE && success && unread && outcome != OUTCOME_STREAM_ERROR)
        return OUTCOME_OK;
    if (exchange->opaque && success)
        return open_outcome;
    return outcome == OUTCOME_TRUNCATED && end == BODY_BROKEN ? open_outcome : outcome;
}

static void set_wire_flags(struct exchange *exchange, const struct flow *flow)
{
    struct arrival_request *record = &exchange->record;
    uint64_t retransmitted = sum_retransmitted(flow);
    record->retransmits = retransmitted < COUNT_NONE ? (uint32_t)retransmitted
                                                     : COUNT_NONE - 1;
    if (retransmitted > exchange->retransmitted_before)
        record->flags |= REQUEST_WIRE_RETRANSMISSION;
    if (sum_reordered(flow) > exchange->reordered_before)
        record->flags |= REQUEST_WIRE_REORDERED;
    if (sum_mismatched(flow) > exchange->mismatched_before)
        record->flags |= REQUEST_WIRE_OVERLAP;
    if (exchange->opaque)
        record->flags |= REQUEST_WIRE_OPAQUE;
}

void exchange_finish(struct exchange *exchange, const struct flow *flow,
                     enum body_end end, enum outcome open_outcome, int64_t end_ns)
{
    struct arrival_request *record = &exchange->record;
    const struct answer_result *result = &exchange->answer.result;
    answer_finish(&exchange->answer, end, take_event, exchange);
    record->end_ns = end_ns;
    record->usage_prompt_tokens = result->usage_prompt_tokens;
    record->usage_completion_tokens = result->usage_completion_tokens;
    record->usage_cached_tokens = result->usage_cached_tokens;
    record->usage_reasoning_tokens = result->usage_reasoning_tokens;
    record->flags |= result->flags;
    memcpy(record->finish_reason, result->finish_reason, sizeof(record->finish_reason));
    settle_lost_tokens(exchange);
    set_wire_flags(exchange, flow);
    record->outcome = (uint8_t)judge(exchange, end, open_outcome);
}
