#include "analyze/queue_load.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyze/metrics.h"
#include "analyze/sample.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"

/* What reading needs beside the data. */
struct reading {
    struct queue_data *data;
    struct token_gaps gaps;
};

void queue_data_release(struct queue_data *data)
{
    for (size_t i = 0; i < data->log_count; i++)
        free(data->logs[i].loops);
    free(data->logs);
    free(data->events);
    free(data->tpot_s);
    *data = (struct queue_data){ 0 };
}

static void add_tpot(struct reading *reading, const struct arrival_request *request)
{
    struct queue_data *data = reading->data;
    struct request_sample sample;
    double tpot_s;
    if (request->outcome != OUTCOME_OK || request->event_count == 0)
        return;
    sample_from_request(request, &sample, &reading->gaps);
    if (!metric_value(&sample, METRIC_TPOT, BY_ARRIVAL, &tpot_s))
        return;
    data->tpot_s = memory_grow(data->tpot_s, data->tpot_count, &data->tpot_capacity,
                               sizeof *data->tpot_s);
    data->tpot_s[data->tpot_count++] = tpot_s;
}

static void add_event(struct queue_data *data, struct queue_log *log, uint64_t row,
                      const struct arrival_event *event)
{
    log->events++;
    if (event->arrival_ns == TIME_NONE) {
        log->no_arrival++;
        return;
    }
    if (data->served && event->app_ns == TIME_NONE) {
        log->no_app++;
        return;
    }
    log->shared_reads += (event->flags & EVENT_FLAG_SHARED_READ) != 0;
    data->events = memory_grow(data->events, data->count, &data->capacity,
                               sizeof *data->events);
    bool slept = (event->flags & EVENT_FLAG_AFTER_WAKE) != 0;
    data->events[data->count++] = (struct queue_event){
        .arrival_ns = event->arrival_ns,
        .app_ns = data->served ? event->app_ns : TIME_NONE,
        .row = (uint32_t)row,
        .wake = slept ? event->wake_ns : QUEUE_AWAKE,
    };
}

static int add_request(struct reading *reading, struct queue_log *log,
                       const struct arrival_request *request, struct fault *fault)
{
    struct queue_data *data = reading->data;
    data->requests++;
    data->client_resource += request->outcome == OUTCOME_CLIENT_RESOURCE;
    if (data->count + request->event_count > QUEUE_EVENTS_MAX)
        return fault_set(fault, STATUS_LIMIT, "more than %zu events", QUEUE_EVENTS_MAX);
    for (size_t i = 0; i < request->event_count; i++)
        add_event(data, log, request->row, &request->events[i]);
    add_tpot(reading, request);
    return STATUS_OK;
}

static void add_loop(struct queue_log *log, const struct loop_record *loop)
{
    if (!loop_record_has_span(loop))
        return;
    log->loops = memory_grow(log->loops, log->loop_count, &log->loop_capacity,
                             sizeof *log->loops);
    log->loops[log->loop_count++] = *loop;
}

static int read_log(struct reading *reading, struct load_log *source,
                    struct queue_log *log, struct progress *progress, struct fault *fault)
{
    struct arrivals_record record;
    int got;
    log->worker = source->header.worker;
    log->first = reading->data->count;
    while ((got = load_log_next(source, &record, fault)) > 0) {
        int status = STATUS_OK;
        if (record.type == RECORD_REQUEST)
            status = add_request(reading, log, &record.request, fault);
        else if (record.type == RECORD_LOOP)
            add_loop(log, &record.loop);
        if (status < 0)
            return status;
        char text[64];
        if (progress_due(progress)) {
            snprintf(text, sizeof text, "%zu events", reading->data->count);
            progress_show(progress, text);
        }
    }
    log->count = reading->data->count - log->first;
    return got;
}

int queue_load(struct queue_data *data, struct load *load, struct progress *progress,
               struct fault *fault)
{
    struct reading reading = { .data = data };
    int status = STATUS_OK;
    data->logs = memory_new(load->log_count, sizeof *data->logs);
    data->log_count = load->log_count;
    for (size_t i = 0; i < load->log_count; i++)
        data->served |= load->logs[i].readable &&
                        load->logs[i].header.source == LOG_CLIENT;
    for (size_t i = 0; i < load->log_count && status == STATUS_OK; i++)
        status = read_log(&reading, &load->logs[i], &data->logs[i], progress, fault);
    progress_end(progress);
    data->packets = load_packets(load);
    token_gaps_release(&reading.gaps);
    return status;
}

void queue_busy_time(const struct queue_log *log, int64_t from_ns, int64_t to_ns,
                     double *covered_s, double *busy_s)
{
    *covered_s = 0;
    *busy_s = 0;
    for (size_t i = 0; i < log->loop_count; i++) {
        const struct loop_record *loop = &log->loops[i];
        int64_t middle_ns = loop->from_ns + (loop->to_ns - loop->from_ns) / 2;
        if (middle_ns < from_ns || middle_ns > to_ns)
            continue;
        *covered_s += (double)(loop->to_ns - loop->from_ns) / NS_PER_S;
        *busy_s += (double)loop->busy_ns / NS_PER_S;
    }
}
