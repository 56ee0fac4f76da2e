#include "formats/arrivals_tables.h"

#define FIELD_OF(structure, member, number, kind) \
    .id = (number), .type = (kind), .offset = offsetof(structure, member), \
    .size = sizeof(((structure *)NULL)->member)
#define TABLE_OF(specs, blank) \
    { (specs), sizeof(specs) / sizeof((specs)[0]), &(blank), sizeof(blank) }

#define HEADER(member, id, type) FIELD_OF(struct arrivals_header, member, id, type)
#define REQUEST(member, id, type) \
    FIELD_OF(struct stored_request, request.member, id, type)
#define COLUMN(member, id, type) \
    FIELD_OF(struct stored_request, columns.member, id, type)
#define LOOP(member, id, type) FIELD_OF(struct loop_record, member, id, type)
#define CLOCK(member, id, type) FIELD_OF(struct clock_record, member, id, type)
#define END(member, id, type) FIELD_OF(struct end_record, member, id, type)

static const struct field_spec header_specs[] = {
    { HEADER(run_id, 1, FIELD_TEXT) },
    { HEADER(producer, 2, FIELD_TEXT) },
    { HEADER(boot_id, 3, FIELD_TEXT) },
    { HEADER(source, 4, FIELD_COUNT), .required = true },
    { HEADER(worker, 5, FIELD_COUNT) },
    { HEADER(workers, 6, FIELD_COUNT) },
    { HEADER(planned_requests, 7, FIELD_COUNT) },
    { HEADER(t0_monotonic_ns, 8, FIELD_SIGNED) },
    { HEADER(t0_realtime_ns, 9, FIELD_SIGNED) },
};

static const struct field_spec request_specs[] = {
    { REQUEST(row, 1, FIELD_COUNT), .required = true },
    { REQUEST(due_ns, 2, FIELD_TIME) },
    { REQUEST(start_ns, 3, FIELD_TIME) },
    { REQUEST(connect_start_ns, 4, FIELD_TIME) },
    { REQUEST(connect_end_ns, 5, FIELD_TIME) },
    { REQUEST(tls_end_ns, 6, FIELD_TIME) },
    { REQUEST(sent_ns, 7, FIELD_TIME) },
    { REQUEST(headers_ns, 8, FIELD_TIME) },
    { REQUEST(end_ns, 9, FIELD_TIME) },
    { REQUEST(planned_input_tokens, 10, FIELD_COUNT) },
    { REQUEST(planned_output_tokens, 11, FIELD_COUNT) },
    { REQUEST(usage_prompt_tokens, 12, FIELD_COUNT) },
    { REQUEST(usage_completion_tokens, 13, FIELD_COUNT) },
    { REQUEST(usage_cached_tokens, 14, FIELD_COUNT) },
    { REQUEST(usage_reasoning_tokens, 15, FIELD_COUNT) },
    { REQUEST(bytes_sent, 16, FIELD_COUNT) },
    { REQUEST(bytes_received, 17, FIELD_COUNT) },
    { REQUEST(min_rtt_us, 18, FIELD_COUNT) },
    { REQUEST(retransmits, 19, FIELD_COUNT) },
    { REQUEST(connection_request, 20, FIELD_COUNT) },
    { REQUEST(local_port, 21, FIELD_COUNT) },
    { REQUEST(remote_port, 22, FIELD_COUNT) },
    { REQUEST(http_status, 23, FIELD_COUNT) },
    { REQUEST(curl_code, 24, FIELD_COUNT) },
    { REQUEST(attempts, 25, FIELD_COUNT) },
    { REQUEST(outcome, 26, FIELD_COUNT), .required = true },
    { REQUEST(flags, 27, FIELD_COUNT) },
    { REQUEST(finish_reason, 28, FIELD_TEXT) },
    { REQUEST(session, 29, FIELD_TEXT) },
    { COLUMN(count, 30, FIELD_COUNT) },
    { COLUMN(arrival_step, 31, FIELD_SIGNED) },
    { COLUMN(kinds, 32, FIELD_BYTES) },
    { COLUMN(arrival, 33, FIELD_BYTES) },
    { COLUMN(app, 34, FIELD_BYTES) },
    { COLUMN(tokens, 35, FIELD_BYTES) },
    { COLUMN(wake, 36, FIELD_BYTES) },
    { COLUMN(choice, 37, FIELD_BYTES) },
};

static const struct field_spec loop_specs[] = {
    { LOOP(from_ns, 1, FIELD_TIME) },
    { LOOP(to_ns, 2, FIELD_TIME) },
    { LOOP(busy_ns, 3, FIELD_COUNT) },
    { LOOP(iterations, 4, FIELD_COUNT) },
    { LOOP(reads, 5, FIELD_COUNT) },
    { LOOP(events, 6, FIELD_COUNT) },
    { LOOP(stall_ns, 7, FIELD_COUNT) },
    { LOOP(log_wait_ns, 8, FIELD_COUNT) },
};

static const struct field_spec clock_specs[] = {
    { CLOCK(at_ns, 1, FIELD_TIME) },
    { CLOCK(realtime_ns, 2, FIELD_SIGNED) },
    { CLOCK(step_ns, 3, FIELD_SIGNED) },
};

static const struct field_spec end_specs[] = {
    { END(at_ns, 1, FIELD_TIME) },
    { END(requests, 2, FIELD_COUNT) },
    { END(events, 3, FIELD_COUNT) },
    { END(interrupted, 4, FIELD_BOOL) },
};

static const struct arrivals_header blank_header;
static const struct stored_request blank_request = { .request = ARRIVAL_REQUEST_INIT };
static const struct loop_record blank_loop = { .from_ns = TIME_NONE, .to_ns = TIME_NONE };
static const struct clock_record blank_clock = { .at_ns = TIME_NONE };
static const struct end_record blank_end = { .at_ns = TIME_NONE };

const struct field_table arrivals_header_fields = TABLE_OF(header_specs, blank_header);
const struct field_table arrivals_request_fields = TABLE_OF(request_specs, blank_request);
const struct field_table arrivals_loop_fields = TABLE_OF(loop_specs, blank_loop);
const struct field_table arrivals_clock_fields = TABLE_OF(clock_specs, blank_clock);
const struct field_table arrivals_end_fields = TABLE_OF(end_specs, blank_end);
