#include "analyze/collection.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

void collection_release(struct collection *collection)
{
    for (size_t i = 0; i < collection->log_count; i++)
        histogram_release(&collection->logs[i].lag);
    free(collection->logs);
    free(collection->samples);
    itl_release(&collection->arrival_itl);
    itl_release(&collection->app_itl);
    token_gaps_release(&collection->gaps);
    collection->logs = NULL;
    collection->samples = NULL;
}

/* Workers of one run share its clock, on whatever machine; a log without a run is known
 * by its T0. */
static bool same_epoch(const struct arrivals_header *left,
                       const struct arrivals_header *right)
{
    if (left->run_id[0] != '\0' || right->run_id[0] != '\0')
        return strcmp(left->run_id, right->run_id) == 0;
    return left->t0_realtime_ns == right->t0_realtime_ns &&
           left->t0_monotonic_ns == right->t0_monotonic_ns;
}

static void assign_epochs(struct collection *collection, const struct load *load)
{
    collection->logs = memory_new(load->log_count, sizeof *collection->logs);
    collection->log_count = load->log_count;
    for (size_t i = 0; i < load->log_count; i++) {
        size_t same = 0;
        while (same < i && !same_epoch(&load->logs[same].header, &load->logs[i].header))
            same++;
        collection->logs[i].epoch =
            same < i ? collection->logs[same].epoch : collection->epoch_count++;
    }
}

static void add_lags(struct log_facts *facts, const struct token_gaps *gaps,
                     int64_t epsilon_ns)
{
    histogram_add(&facts->lag, gaps->lag_ns, gaps->lag_count);
    if (facts->lag.moments.min >= (double)-epsilon_ns)
        return; /* none to look for */
    for (size_t i = 0; i < gaps->lag_count; i++)
        facts->negative_lags += gaps->lag_ns[i] < -epsilon_ns;
}

static void add_request(struct collection *collection, size_t log,
                        const struct arrival_request *request)
{
    const struct window *window = &collection->window;
    if (request->due_ns < window->from_ns || request->due_ns > window->to_ns) {
        collection->outside++;
        return;
    }
    collection->samples = memory_grow(collection->samples, collection->count,
                                      &collection->capacity, sizeof *collection->samples);
    struct request_sample *sample = &collection->samples[collection->count++];
    struct token_gaps *gaps = &collection->gaps;
    sample_from_request(request, sample, gaps);
    sample->log = (uint32_t)log;

    struct log_facts *facts = &collection->logs[log];
    facts->requests++;
    facts->token_events += sample->output_events;
    facts->shared_reads += gaps->shared_reads;
    facts->unknown_times += gaps->unknown_times;
    add_lags(facts, gaps, collection->lag_epsilon_ns);
    if (sample->outcome == OUTCOME_OK) {
        itl_add(&collection->arrival_itl, &gaps->arrival);
        itl_add(&collection->app_itl, &gaps->app);
    }
}

static void add_loop(struct log_facts *facts, const struct loop_record *loop)
{
    if (!loop_record_has_span(loop))
        return;
    uint64_t span_ns = (uint64_t)(loop->to_ns - loop->from_ns);
    double busy = (double)loop->busy_ns / (double)span_ns;
    facts->loop_ns += span_ns;
    facts->busy_ns += loop->busy_ns;
    facts->busy_peak = busy > facts->busy_peak ? busy : facts->busy_peak;
    facts->stall_ns = loop->stall_ns > facts->stall_ns ? loop->stall_ns : facts->stall_ns;
    facts->log_wait_ns += loop->log_wait_ns;
}

static void add_clock(struct log_facts *facts, const struct clock_record *clock)
{
    if (clock->step_ns == 0)
        return;
    facts->clock_steps++;
    if (fabs((double)clock->step_ns) > fabs((double)facts->largest_step_ns))
        facts->largest_step_ns = clock->step_ns;
}

static void add_record(struct collection *collection, size_t log,
                       const struct arrivals_record *record)
{
    switch (record->type) {
    case RECORD_REQUEST:
        add_request(collection, log, &record->request);
        break;
    case RECORD_LOOP:
        add_loop(&collection->logs[log], &record->loop);
        break;
    case RECORD_CLOCK:
        add_clock(&collection->logs[log], &record->clock);
        break;
    case RECORD_END:
        break;
    }
}

int collection_read(struct collection *collection, struct load *load,
                    struct progress *progress, struct fault *fault)
{
    assign_epochs(collection, load);
    struct arrivals_record record;
    size_t log;
    int got;
    while ((got = load_next(load, &record, &log, fault)) > 0) {
        add_record(collection, log, &record);
        if (collection->count % 1024 == 0 && progress_due(progress)) {
            char line[80];
            snprintf(line, sizeof line, "log %zu of %zu: %zu requests", log + 1,
                     load->log_count, collection->count);
            progress_show(progress, line);
        }
    }
    progress_end(progress);
    return got;
}

size_t collection_values(const struct collection *collection, enum metric metric,
                         enum flavour flavour, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->outcome == OUTCOME_OK &&
            metric_value(sample, metric, flavour, &values[count]))
            count++;
    }
    return count;
}

int collection_due_range(char *const *operands, int operand_count, struct window *range,
                         struct fault *fault)
{
    struct load load = { 0 };
    struct arrivals_record record;
    size_t log;
    *range = (struct window){ .from_ns = INT64_MAX, .to_ns = INT64_MIN };
    for (int i = 0; i < operand_count; i++)
        if (strcmp(operands[i], "-") == 0)
            return fault_set(fault, STATUS_USAGE,
                             "standard input cannot be read twice, as a window needs");
    int got = load_open(&load, operands, operand_count, fault);
    if (got < 0)
        goto done;
    while ((got = load_next(&load, &record, &log, fault)) > 0) {
        if (record.type != RECORD_REQUEST)
            continue;
        int64_t due_ns = record.request.due_ns;
        range->from_ns = due_ns < range->from_ns ? due_ns : range->from_ns;
        range->to_ns = due_ns > range->to_ns ? due_ns : range->to_ns;
    }
done:
    load_release(&load);
    return got;
}
