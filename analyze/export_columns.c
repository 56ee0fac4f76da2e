#include "analyze/export_columns.h"

#include <assert.h>

#include "analyze/metrics.h"
#include "formats/base/clock.h"

const struct export_column export_request_columns[EXPORT_REQUEST_COLUMNS] = {
    { "row", "of the plan, from 0" },
    { "worker", "that sent it" },
    { "session", "of the trace; empty when none" },
    { "outcome", "ok, or what it failed of" },
    { "http_status", "empty when no answer came" },
    { "finish_reason", "as the server said, of choice 0" },
    { "input_tokens", "as the server counted, else as planned" },
    { "output_tokens", "N: as the server counted, else what the events brought" },
    { "output_events", "events that brought a token" },
    { "first_event_tokens", "k1: tokens of the first such event, summed over choices" },
    { "due_ns", "when it was planned" },
    { "start_ns", "when the worker took it up" },
    { "sent_ns", "when its last byte was handed to the kernel" },
    { "headers_ns", "when the first byte of the answer arrived" },
    { "first_token_arrival_ns", "when the first token reached the host" },
    { "first_token_app_ns", "when the client had it in hand" },
    { "last_token_arrival_ns", "when the last token reached the host" },
    { "last_token_app_ns", "when the client had it in hand" },
    { "end_ns", "when the answer was over, or given up" },
    { "ttft_s", "first_token_arrival - sent" },
    { "tpot_s", "(last - first token arrival) / (N - k1)" },
    { "ntpot_s", "e2e / N" },
    { "e2e_s", "last_token_arrival - sent" },
    { "local_port", "the client's" },
    { "connection_request", "n-th request on its connection, from 1" },
    { "ttft_content_s", "first content token, without reasoning and tools" },
    { "ttft_app_s", "ttft as the client saw it" },
    { "tpot_app_s", "tpot as the client saw it" },
    { "ntpot_app_s", "ntpot as the client saw it" },
    { "e2e_app_s", "e2e as the client saw it" },
    { "ttft_from_due_s", "first_token_arrival - due" },
    { "ntpot_from_due_s", "e2e_from_due / N" },
    { "e2e_from_due_s", "last_token_arrival - due" },
    { "send_lag_s", "sent - due" },
    { "receive_lag_s", "app - arrival of the last token" },
    { "connect_s", "to open the connection; empty when it was reused" },
    { "planned_input_tokens", "of the plan" },
    { "planned_output_tokens", "of the plan" },
    { "cached_tokens", "of the input, as the server said" },
    { "reasoning_tokens", "of the output, as the server said" },
    { "counted_by", "usage or events: where N is from" },
    { "token_mismatch", "1 when the server's count and the events differ" },
    { "choices", "that brought a token" },
    { "events", "of any kind" },
    { "bytes_sent", "head and body" },
    { "bytes_received", "head and body, as on the wire" },
    { "remote_port", "the server's" },
    { "min_rtt_us", "of the connection, by the kernel" },
    { "retransmits", "on the connection so far" },
    { "curl_code", "of libcurl, 0: fine" },
    { "attempts", "1 unless retried" },
    { "run_id", "of the run" },
};

const struct export_column export_event_columns[EXPORT_EVENT_COLUMNS] = {
    { "row", "of the plan, from 0" },
    { "worker", "that sent the request" },
    { "event", "within the answer, from 0" },
    { "kind", "content, reasoning, tool, role, empty, finish, usage, comment, error..." },
    { "choice", "index of the choice" },
    { "tokens", "that it brought" },
    { "arrival_ns", "when it reached the host" },
    { "app_ns", "when the client had it in hand" },
    { "wake_ns", "app minus the moment the loop woke; empty when it had not slept" },
    { "shared_read", "1 when its read brought other events: arrival is not exact" },
    { "finish", "1 when it carries a finish reason" },
    { "usage", "1 when it carries usage" },
    { "unknown_time", "1 when the capture lost its bytes" },
    { "run_id", "of the run" },
};

static struct cell int_cell(int64_t value)
{
    return (struct cell){ .kind = CELL_INT, .integer = value };
}

static struct cell text_cell(const char *text)
{
    if (text[0] == '\0')
        return (struct cell){ .kind = CELL_NONE };
    return (struct cell){ .kind = CELL_TEXT, .text = text };
}

static struct cell time_cell(int64_t at_ns)
{
    return at_ns == TIME_NONE ? (struct cell){ .kind = CELL_NONE } : int_cell(at_ns);
}

static struct cell count_cell(uint32_t count)
{
    return count == COUNT_NONE ? (struct cell){ .kind = CELL_NONE } : int_cell(count);
}

/* Ports, statuses and places on a connection: 0 stands for none. */
static struct cell nonzero_cell(uint32_t value)
{
    return value == 0 ? (struct cell){ .kind = CELL_NONE } : int_cell(value);
}

static struct cell interval_cell(int64_t from_ns, int64_t to_ns)
{
    if (from_ns == TIME_NONE || to_ns == TIME_NONE)
        return (struct cell){ .kind = CELL_NONE };
    return (struct cell){ .kind = CELL_REAL,
                         .real = (double)(to_ns - from_ns) / NS_PER_S };
}

static struct cell metric_cell(const struct request_sample *sample, enum metric metric,
                               enum flavour flavour)
{
    double seconds;
    if (!metric_value(sample, metric, flavour, &seconds))
        return (struct cell){ .kind = CELL_NONE };
    return (struct cell){ .kind = CELL_REAL, .real = seconds };
}

static struct cell *add_identity(struct cell *at, const struct arrivals_header *header,
                                 const struct arrival_request *request,
                                 const struct request_sample *sample)
{
    *at++ = int_cell((int64_t)request->row);
    *at++ = int_cell(header->worker);
    *at++ = text_cell(request->session);
    *at++ = text_cell(outcome_name(request->outcome));
    *at++ = nonzero_cell(request->http_status);
    *at++ = text_cell(request->finish_reason);
    *at++ = count_cell(sample->input_tokens);
    *at++ = int_cell(sample->output_tokens);
    *at++ = int_cell(sample->output_events);
    *at++ = int_cell(sample->first_event_tokens);
    return at;
}

static struct cell *add_times(struct cell *at, const struct arrival_request *request,
                              const struct request_sample *sample)
{
    *at++ = time_cell(request->due_ns);
    *at++ = time_cell(request->start_ns);
    *at++ = time_cell(request->sent_ns);
    *at++ = time_cell(request->headers_ns);
    *at++ = time_cell(sample->arrival.first_ns);
    *at++ = time_cell(sample->app.first_ns);
    *at++ = time_cell(sample->arrival.last_ns);
    *at++ = time_cell(sample->app.last_ns);
    *at++ = time_cell(request->end_ns);
    *at++ = metric_cell(sample, METRIC_TTFT, BY_ARRIVAL);
    *at++ = metric_cell(sample, METRIC_TPOT, BY_ARRIVAL);
    *at++ = metric_cell(sample, METRIC_NTPOT, BY_ARRIVAL);
    *at++ = metric_cell(sample, METRIC_E2E, BY_ARRIVAL);
    *at++ = nonzero_cell(request->local_port);
    *at++ = nonzero_cell(request->connection_request);
    return at;
}

static struct cell *add_flavours(struct cell *at, const struct request_sample *sample)
{
    *at++ = metric_cell(sample, METRIC_TTFT_CONTENT, BY_ARRIVAL);
    *at++ = metric_cell(sample, METRIC_TTFT, BY_APP);
    *at++ = metric_cell(sample, METRIC_TPOT, BY_APP);
    *at++ = metric_cell(sample, METRIC_NTPOT, BY_APP);
    *at++ = metric_cell(sample, METRIC_E2E, BY_APP);
    *at++ = metric_cell(sample, METRIC_TTFT, FROM_DUE);
    *at++ = metric_cell(sample, METRIC_NTPOT, FROM_DUE);
    *at++ = metric_cell(sample, METRIC_E2E, FROM_DUE);
    *at++ = interval_cell(sample->due_ns, sample->sent_ns);
    *at++ = interval_cell(sample->arrival.last_ns, sample->app.last_ns);
    *at++ = interval_cell(sample->connect_start_ns, sample->connect_end_ns);
    return at;
}

static struct cell *add_rest(struct cell *at, const struct arrivals_header *header,
                             const struct arrival_request *request,
                             const struct request_sample *sample)
{
    *at++ = count_cell(request->planned_input_tokens);
    *at++ = count_cell(request->planned_output_tokens);
    *at++ = count_cell(request->usage_cached_tokens);
    *at++ = count_cell(request->usage_reasoning_tokens);
    *at++ = text_cell(sample->counted_by_usage ? "usage" : "events");
    *at++ = int_cell(sample->mismatch);
    *at++ = int_cell(sample->choices);
    *at++ = int_cell((int64_t)request->event_count);
    *at++ = int_cell((int64_t)request->bytes_sent);
    *at++ = int_cell((int64_t)request->bytes_received);
    *at++ = nonzero_cell(request->remote_port);
    *at++ = count_cell(request->min_rtt_us);
    *at++ = count_cell(request->retransmits);
    *at++ = int_cell(request->curl_code);
    *at++ = int_cell(request->attempts);
    *at++ = text_cell(header->run_id);
    return at;
}

void export_request_cells(struct cell cells[EXPORT_REQUEST_COLUMNS],
                          const struct arrivals_header *header,
                          const struct arrival_request *request,
                          const struct request_sample *sample)
{
    struct cell *at = add_identity(cells, header, request, sample);
    at = add_times(at, request, sample);
    at = add_flavours(at, sample);
    at = add_rest(at, header, request, sample);
    assert(at == cells + EXPORT_REQUEST_COLUMNS);
}

void export_event_cells(struct cell cells[EXPORT_EVENT_COLUMNS],
                        const struct arrivals_header *header,
                        const struct arrival_request *request, size_t event)
{
    const struct arrival_event *from = &request->events[event];
    bool woke = (from->flags & EVENT_FLAG_AFTER_WAKE) != 0;
    struct cell *at = cells;
    *at++ = int_cell((int64_t)request->row);
    *at++ = int_cell(header->worker);
    *at++ = int_cell((int64_t)event);
    *at++ = text_cell(event_kind_name(from->kind));
    *at++ = int_cell(from->choice);
    *at++ = int_cell(from->tokens);
    *at++ = time_cell(from->arrival_ns);
    *at++ = time_cell(from->app_ns);
    *at++ = woke ? int_cell(from->wake_ns) : (struct cell){ .kind = CELL_NONE };
    *at++ = int_cell((from->flags & EVENT_FLAG_SHARED_READ) != 0);
    *at++ = int_cell((from->flags & EVENT_FLAG_FINISH) != 0);
    *at++ = int_cell((from->flags & EVENT_FLAG_USAGE) != 0);
    *at++ = int_cell((from->flags & EVENT_FLAG_UNKNOWN_TIME) != 0);
    *at++ = text_cell(header->run_id);
    assert(at == cells + EXPORT_EVENT_COLUMNS);
}
