#include "analyze/export_columns.h"

#include <assert.h>

#include "analyze/metrics.h"
#include "formats/base/clock.h"

const struct export_column export_request_columns[EXPORT_REQUEST_COLUMNS] = {
    { "row", CELL_INT, "of the plan, from 0" },
    { "worker", CELL_INT, "that sent it" },
    { "session", CELL_TEXT, "of the trace; empty when none" },
    { "outcome", CELL_TEXT, "ok, or what it failed of" },
    { "http_status", CELL_INT, "empty when no answer came" },
    { "finish_reason", CELL_TEXT, "as the server said, of choice 0" },
    { "input_tokens", CELL_INT, "as the server counted, else as planned" },
    { "output_tokens", CELL_INT,
      "N: as the server counted, else what the events brought" },
    { "output_events", CELL_INT, "events that brought a token" },
    { "first_event_tokens", CELL_INT,
      "k1: tokens of the first such event, summed over choices" },
    { "due_ns", CELL_INT, "when it was planned" },
    { "start_ns", CELL_INT, "when the worker took it up" },
    { "sent_ns", CELL_INT, "when its last byte was handed to the kernel" },
    { "headers_ns", CELL_INT, "when the first byte of the answer arrived" },
    { "first_token_arrival_ns", CELL_INT, "when the first token reached the host" },
    { "first_token_app_ns", CELL_INT, "when the client had it in hand" },
    { "last_token_arrival_ns", CELL_INT, "when the last token reached the host" },
    { "last_token_app_ns", CELL_INT, "when the client had it in hand" },
    { "end_ns", CELL_INT, "when the answer was over, or given up" },
    { "ttft_s", CELL_REAL, "first_token_arrival - sent" },
    { "tpot_s", CELL_REAL, "(last - first token arrival) / (N - k1)" },
    { "ntpot_s", CELL_REAL, "e2e / N" },
    { "e2e_s", CELL_REAL, "last_token_arrival - sent" },
    { "local_port", CELL_INT, "the client's" },
    { "connection_request", CELL_INT, "n-th request on its connection, from 1" },
    { "ttft_content_s", CELL_REAL, "first content token, without reasoning and tools" },
    { "ttft_app_s", CELL_REAL, "ttft as the client saw it" },
    { "tpot_app_s", CELL_REAL, "tpot as the client saw it" },
    { "ntpot_app_s", CELL_REAL, "ntpot as the client saw it" },
    { "e2e_app_s", CELL_REAL, "e2e as the client saw it" },
    { "ttft_from_due_s", CELL_REAL, "first_token_arrival - due" },
    { "ntpot_from_due_s", CELL_REAL, "e2e_from_due / N" },
    { "e2e_from_due_s", CELL_REAL, "last_token_arrival - due" },
    { "send_lag_s", CELL_REAL, "sent - due" },
    { "receive_lag_s", CELL_REAL, "app - arrival of the last token" },
    { "connect_s", CELL_REAL, "to open the connection; empty when it was reused" },
    { "planned_input_tokens", CELL_INT, "of the plan" },
    { "planned_output_tokens", CELL_INT, "of the plan" },
    { "cached_tokens", CELL_INT, "of the input, as the server said" },
    { "reasoning_tokens", CELL_INT, "of the output, as the server said" },
    { "counted_by", CELL_TEXT, "usage or events: where N is from" },
    { "token_mismatch", CELL_INT, "1 when the server's count and the events differ" },
    { "choices", CELL_INT, "that brought a token" },
    { "events", CELL_INT, "of any kind" },
    { "bytes_sent", CELL_INT, "head and body" },
    { "bytes_received", CELL_INT, "head and body, as on the wire" },
    { "remote_port", CELL_INT, "the server's" },
    { "min_rtt_us", CELL_INT, "of the connection, by the kernel" },
    { "retransmits", CELL_INT, "on the connection so far" },
    { "curl_code", CELL_INT, "of libcurl, 0: fine" },
    { "attempts", CELL_INT, "1 unless retried" },
    { "run_id", CELL_TEXT, "of the run" },
};

const struct export_column export_event_columns[EXPORT_EVENT_COLUMNS] = {
    { "row", CELL_INT, "of the plan, from 0" },
    { "worker", CELL_INT, "that sent the request" },
    { "event", CELL_INT, "within the answer, from 0" },
    { "kind", CELL_TEXT,
      "content, reasoning, tool, role, empty, finish, usage, comment, error..." },
    { "choice", CELL_INT, "index of the choice" },
    { "tokens", CELL_INT, "that it brought" },
    { "arrival_ns", CELL_INT, "when it reached the host" },
    { "app_ns", CELL_INT, "when the client had it in hand" },
    { "wake_ns", CELL_INT,
      "app minus the moment the loop woke; empty when it had not slept" },
    { "shared_read", CELL_INT,
      "1 when its read brought other events: arrival is not exact" },
    { "finish", CELL_INT, "1 when it carries a finish reason" },
    { "usage", CELL_INT, "1 when it carries usage" },
    { "unknown_time", CELL_INT, "1 when the capture lost its bytes" },
    { "run_id", CELL_TEXT, "of the run" },
};

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
