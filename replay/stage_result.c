#include "replay/stage_result.h"

#include <math.h>
#include <stdlib.h>

#include "formats/arrivals_reader.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/run_directory.h"

void stage_log_release(struct stage_log *log)
{
    free(log->requests);
    *log = (struct stage_log){ 0 };
}

static void note_request(struct stage_log *log, const struct arrival_request *request)
{
    log->requests =
        memory_grow(log->requests, log->count, &log->capacity, sizeof *log->requests);
    log->requests[log->count++] = (struct stage_request){
        .sent_ns = request->sent_ns,
        .end_ns = request->end_ns,
        .ok = request->outcome == OUTCOME_OK,
    };
}

static int read_worker(struct stage_log *log, const char *path, struct fault *fault)
{
    struct arrivals_reader *reader = NULL;
    int status = arrivals_reader_open(&reader, path, fault);
    if (status != STATUS_OK)
        return status;
    struct arrivals_record record;
    uint64_t busy_ns = 0;
    int64_t span_ns = 0;
    while ((status = arrivals_reader_next(reader, &record, fault)) > 0) {
        if (record.type == RECORD_REQUEST)
            note_request(log, &record.request);
        if (record.type != RECORD_LOOP)
            continue;
        busy_ns += record.loop.busy_ns;
        span_ns += record.loop.to_ns - record.loop.from_ns;
    }
    arrivals_reader_close(reader);
    if (span_ns > 0)
        log->busiest = fmax(log->busiest, (double)busy_ns / (double)span_ns);
    return status;
}

int stage_log_read(struct stage_log *log, const char *directory, struct fault *fault)
{
    *log = (struct stage_log){ 0 };
    struct run_logs logs = { 0 };
    int status = run_directory_logs(&logs, directory, fault);
    for (size_t at = 0; status == STATUS_OK && at < logs.workers.count; at++)
        status = read_worker(log, logs.workers.items[at], fault);
    run_logs_release(&logs);
    return status;
}

static uint64_t in_flight_at(const struct stage_log *log, int64_t at_ns)
{
    uint64_t open = 0;
    for (size_t at = 0; at < log->count; at++) {
        const struct stage_request *request = &log->requests[at];
        if (request->sent_ns != TIME_NONE && request->sent_ns <= at_ns &&
            request->end_ns > at_ns)
            open++;
    }
    return open;
}

/* Mean time in the system of the requests sent in the stage's first tenth: the server was
 * empty then. */
static double first_latency_ns(const struct stage_log *log, int64_t duration_ns)
{
    double sum_ns = 0;
    uint64_t count = 0;
    for (size_t at = 0; at < log->count; at++) {
        const struct stage_request *request = &log->requests[at];
        if (request->sent_ns == TIME_NONE || request->sent_ns > duration_ns / 10)
            continue;
        sum_ns += (double)(request->end_ns - request->sent_ns);
        count++;
    }
    return count == 0 ? 0 : sum_ns / (double)count;
}

static bool in_flight_grew(const struct stage_log *log, int64_t duration_ns)
{
    double before = (double)in_flight_at(log, duration_ns / 2);
    double after = (double)in_flight_at(log, duration_ns);
    double due = 0;
    for (size_t at = 0; at < log->count; at++)
        due += log->requests[at].sent_ns != TIME_NONE &&
               log->requests[at].sent_ns > duration_ns / 2;
    double growth = after - before;
    return growth > 3 * sqrt(before + after) && growth > GROWTH_MIN * due;
}

enum stage_finding stage_judge(const struct stage_log *log, int64_t duration_ns)
{
    size_t failed = 0;
    for (size_t at = 0; at < log->count; at++)
        failed += !log->requests[at].ok && log->requests[at].end_ns <= duration_ns;
    if (log->count == 0 || failed * 2 >= log->count)
        return STAGE_FAILED;
    if (log->busiest > CLIENT_BUSY_MAX)
        return STAGE_CLIENT_LIMITED;
    if (first_latency_ns(log, duration_ns) > (double)duration_ns / 4)
        return STAGE_TOO_SHORT;
    return in_flight_grew(log, duration_ns) ? STAGE_SATURATED : STAGE_HELD;
}

double stage_throughput_per_s(const struct stage_log *log, int64_t duration_ns)
{
    uint64_t completed = 0;
    int64_t last_ns = 0;
    for (size_t at = 0; at < log->count; at++) {
        const struct stage_request *request = &log->requests[at];
        if (!request->ok || request->end_ns > duration_ns)
            continue;
        completed++;
        if (request->end_ns > last_ns)
            last_ns = request->end_ns;
    }
    return last_ns == 0 ? 0 : (double)completed * NS_PER_S / (double)last_ns;
}

double stage_mean_latency_s(const struct stage_log *log, int64_t duration_ns)
{
    double sum_s = 0;
    uint64_t count = 0;
    for (size_t at = 0; at < log->count; at++) {
        const struct stage_request *request = &log->requests[at];
        if (!request->ok || request->end_ns > duration_ns)
            continue;
        sum_s += (double)(request->end_ns - request->sent_ns) / NS_PER_S;
        count++;
    }
    return count == 0 ? 0 : sum_s / (double)count;
}
