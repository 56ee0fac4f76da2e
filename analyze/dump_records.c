#include "analyze/dump_records.h"

#include "analyze/json_values.h"
#include "analyze/load.h"

static void set_time(json_t *object, const char *key, int64_t at_ns)
{
    if (at_ns != TIME_NONE)
        json_object_set_new(object, key, json_integer(at_ns));
}

static void set_known(json_t *object, const char *key, uint32_t count)
{
    if (count != COUNT_NONE)
        json_set_count(object, key, count);
}

static void set_nonempty(json_t *object, const char *key, const char *text)
{
    if (text[0] != '\0')
        json_set_text(object, key, text);
}

/* Names of the bits that are set. */
static json_t *flags_json(uint32_t flags, const char *const *names, unsigned bits)
{
    json_t *array = json_array();
    for (unsigned bit = 0; bit < bits; bit++)
        if (flags >> bit & 1)
            json_array_append_new(array,
                                  json_string(names[bit] ? names[bit] : "unknown"));
    return array;
}

static const char *const event_flag_names[] = {
    "shared_read", "after_wake", "finish", "usage", "unknown_time",
    NULL,          NULL,         NULL,
};

static const char *const request_flag_names[32] = {
    [0] = "streamed",
    [1] = "reused_connection",
    [2] = "done_seen",
    [3] = "token_mismatch",
    [8] = "wire_retransmission",
    [9] = "wire_reordered",
    [10] = "wire_hole",
    [11] = "wire_no_syn",
    [12] = "wire_snaplen",
    [13] = "wire_opaque",
    [14] = "wire_overlap",
};

static json_t *event_json(const struct arrival_event *event)
{
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string(event_kind_name(event->kind)));
    json_set_count(object, "choice", event->choice);
    json_set_count(object, "tokens", event->tokens);
    set_time(object, "arrival_ns", event->arrival_ns);
    set_time(object, "app_ns", event->app_ns);
    if (event->flags & EVENT_FLAG_AFTER_WAKE)
        json_set_count(object, "wake_ns", event->wake_ns);
    if (event->flags)
        json_object_set_new(object, "flags",
                            flags_json(event->flags, event_flag_names, 8));
    return object;
}

static void set_request_times(json_t *object, const struct arrival_request *request)
{
    set_time(object, "due_ns", request->due_ns);
    set_time(object, "start_ns", request->start_ns);
    set_time(object, "connect_start_ns", request->connect_start_ns);
    set_time(object, "connect_end_ns", request->connect_end_ns);
    set_time(object, "tls_end_ns", request->tls_end_ns);
    set_time(object, "sent_ns", request->sent_ns);
    set_time(object, "headers_ns", request->headers_ns);
    set_time(object, "end_ns", request->end_ns);
}

static void set_request_counts(json_t *object, const struct arrival_request *request)
{
    set_known(object, "planned_input_tokens", request->planned_input_tokens);
    set_known(object, "planned_output_tokens", request->planned_output_tokens);
    set_known(object, "usage_prompt_tokens", request->usage_prompt_tokens);
    set_known(object, "usage_completion_tokens", request->usage_completion_tokens);
    set_known(object, "usage_cached_tokens", request->usage_cached_tokens);
    set_known(object, "usage_reasoning_tokens", request->usage_reasoning_tokens);
    json_set_count(object, "bytes_sent", request->bytes_sent);
    json_set_count(object, "bytes_received", request->bytes_received);
    set_known(object, "min_rtt_us", request->min_rtt_us);
    set_known(object, "retransmits", request->retransmits);
}

static json_t *request_json(const struct arrival_request *request, bool events)
{
    json_t *object = json_object();
    json_object_set_new(object, "record", json_string("request"));
    json_set_count(object, "row", request->row);
    json_object_set_new(object, "outcome", json_string(outcome_name(request->outcome)));
    set_nonempty(object, "session", request->session);
    set_nonempty(object, "finish_reason", request->finish_reason);
    json_set_count(object, "http_status", request->http_status);
    json_set_count(object, "curl_code", request->curl_code);
    json_set_count(object, "attempts", request->attempts);
    json_set_count(object, "local_port", request->local_port);
    json_set_count(object, "remote_port", request->remote_port);
    json_set_count(object, "connection_request", request->connection_request);
    json_object_set_new(object, "flags",
                        flags_json(request->flags, request_flag_names, 32));
    set_request_times(object, request);
    set_request_counts(object, request);
    json_set_count(object, "event_count", request->event_count);
    if (!events)
        return object;
    json_t *array = json_array();
    for (size_t i = 0; i < request->event_count; i++)
        json_array_append_new(array, event_json(&request->events[i]));
    json_object_set_new(object, "events", array);
    return object;
}

static json_t *loop_json(const struct loop_record *loop)
{
    json_t *object = json_object();
    json_object_set_new(object, "record", json_string("loop"));
    set_time(object, "from_ns", loop->from_ns);
    set_time(object, "to_ns", loop->to_ns);
    json_set_count(object, "busy_ns", loop->busy_ns);
    json_set_count(object, "iterations", loop->iterations);
    json_set_count(object, "reads", loop->reads);
    json_set_count(object, "events", loop->events);
    json_set_count(object, "stall_ns", loop->stall_ns);
    json_set_count(object, "log_wait_ns", loop->log_wait_ns);
    return object;
}

static json_t *clock_json(const struct clock_record *clock)
{
    json_t *object = json_object();
    json_object_set_new(object, "record", json_string("clock"));
    set_time(object, "at_ns", clock->at_ns);
    set_time(object, "realtime_ns", clock->realtime_ns);
    set_time(object, "step_ns", clock->step_ns);
    return object;
}

static json_t *end_json(const struct end_record *end)
{
    json_t *object = json_object();
    json_object_set_new(object, "record", json_string("end"));
    set_time(object, "at_ns", end->at_ns);
    json_set_count(object, "requests", end->requests);
    json_set_count(object, "events", end->events);
    json_object_set_new(object, "interrupted", json_boolean(end->interrupted));
    return object;
}

json_t *dump_record_json(const struct arrivals_record *record, bool events)
{
    switch (record->type) {
    case RECORD_REQUEST:
        return request_json(&record->request, events);
    case RECORD_LOOP:
        return loop_json(&record->loop);
    case RECORD_CLOCK:
        return clock_json(&record->clock);
    case RECORD_END:
        return end_json(&record->end);
    }
    return json_null();
}

json_t *dump_header_json(const struct arrivals_header *header,
                         struct arrivals_version version)
{
    json_t *object = json_object();
    json_object_set_new(object, "version",
                        json_sprintf("%u.%u", version.major, version.minor));
    json_set_text(object, "run_id", header->run_id);
    json_set_text(object, "producer", header->producer);
    json_set_text(object, "boot_id", header->boot_id);
    json_object_set_new(object, "source", json_string(load_source_name(header->source)));
    json_set_count(object, "worker", header->worker);
    json_set_count(object, "workers", header->workers);
    json_set_count(object, "planned_requests", header->planned_requests);
    set_time(object, "t0_monotonic_ns", header->t0_monotonic_ns);
    set_time(object, "t0_realtime_ns", header->t0_realtime_ns);
    return object;
}

json_t *dump_frame_json(const struct arrivals_frame *frame)
{
    json_t *object = json_object();
    json_set_count(object, "offset", frame->offset);
    json_set_count(object, "compressed_bytes", frame->compressed_bytes);
    json_set_count(object, "content_bytes", frame->content_bytes);
    json_object_set_new(object, "kind", json_string(frame->skippable ? "index" : "data"));
    json_object_set_new(object, "cut", json_boolean(frame->cut));
    return object;
}

json_t *dump_loss_json(const struct arrivals_loss *loss)
{
    json_t *object = json_object();
    json_object_set_new(object, "truncated", json_boolean(loss->truncated));
    if (loss->truncated) {
        json_set_count(object, "offset", loss->offset);
        json_set_count(object, "lost_bytes", loss->lost_bytes);
        json_set_count(object, "saved_records", loss->saved_records);
    }
    json_object_set_new(object, "end_missing", json_boolean(loss->end_missing));
    json_object_set_new(object, "index_missing", json_boolean(loss->index_missing));
    json_object_set_new(object, "index_damaged", json_boolean(loss->index_damaged));
    json_set_count(object, "unknown_records", loss->unknown_records);
    json_set_count(object, "unknown_fields", loss->unknown_fields);
    return object;
}
