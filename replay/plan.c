#include "replay/plan.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/hash.h"
#include "formats/requests_read.h"
#include "replay/plan_prompts.h"
#include "replay/plan_synthetic.h"
#include "replay/plan_transform.h"

const char *const bad_rows_names[] = { "stop", "skip", NULL };
const char *const zero_output_names[] = { "skip", "one", NULL };

void plan_release(struct plan *plan)
{
    free(plan->requests);
    free(plan->texts);
    name_table_release(&plan->sessions);
    buffer_release(&plan->block_bytes);
    buffer_release(&plan->text_bytes);
    buffer_release(&plan->notes);
    memset(plan, 0, sizeof *plan);
}

const char *plan_session_name(const struct plan *plan, uint32_t session)
{
    return session == SESSION_NONE ? "" : name_table_text(&plan->sessions, session);
}

/* Ids of different traces name different blocks: those of all but the first are moved. */
struct block_cursor plan_blocks(const struct plan *plan,
                                const struct plan_request *request)
{
    uint64_t mask = request->source == 0
                        ? 0
                        : hash_fnv1a_u64(HASH_FNV1A_START, request->source);
    return block_cursor_at(&plan->block_bytes, request->first_block, mask);
}

uint32_t plan_worker_of(const struct plan *plan, size_t index, uint32_t workers)
{
    uint32_t session = plan->requests[index].session;
    return session == SESSION_NONE ? (uint32_t)(index % workers) : session % workers;
}

static int check_options(const struct plan_options *options, struct fault *fault)
{
    bool synthetic = options->arrivals != NULL;
    if (options->trace == NULL && !synthetic)
        return fault_set(fault, STATUS_USAGE,
                         "nothing to send: expected --trace FILE or --arrivals LAW");
    if (options->speed != 1 && (options->rate_per_s > 0 || synthetic))
        return fault_set(fault, STATUS_USAGE, "--speed and %s: expected only one",
                         synthetic ? "--arrivals" : "--rate");
    if (synthetic && options->repeat > 1)
        return fault_set(fault, STATUS_USAGE,
                         "--repeat and --arrivals: expected --duration or --requests, "
                         "which go through the trace as often as they need");
    if (!synthetic && (options->requests > 0 || options->input_tokens != NULL
                       || options->output_tokens != NULL))
        return fault_set(fault, STATUS_USAGE,
                         "--requests, --input-tokens and --output-tokens: expected "
                         "--arrivals with them");
    if (options->trace == NULL && (options->merge.count > 0 || options->sample < 1))
        return fault_set(fault, STATUS_USAGE,
                         "--merge and --sample: expected --trace with it");
    if (options->trace != NULL
        && (options->input_tokens != NULL || options->output_tokens != NULL))
        return fault_set(fault, STATUS_USAGE,
                         "--input-tokens and --output-tokens: the trace has lengths, "
                         "expected no --trace");
    return STATUS_OK;
}

static void add_notes(struct plan *plan, const struct request_trace *trace,
                      const char *path, bool spread)
{
    if (trace->tick_ns > 0)
        buffer_printf(&plan->notes, "%s: times sit on ticks of %.3f s%s\n", path,
                      (double)trace->tick_ns / NS_PER_S,
                      spread ? ", spread at random inside them"
                             : ": sent as they are, in bursts; see --spread-ticks");
    else if (spread)
        buffer_printf(&plan->notes, "%s: times sit on no ticks of 1 s or more\n", path);
    if (trace->report.lengths_estimated)
        buffer_printf(&plan->notes, "%s: lengths are estimated from the texts\n", path);
}

static void add_report(struct plan *plan, const struct request_report *report)
{
    plan->report.read += report->read;
    plan->report.accepted += report->accepted;
    for (int i = 0; i < REFUSALS; i++)
        plan->report.refused[i] += report->refused[i];
    plan->report.raised += report->raised;
    plan->report.unsorted += report->unsorted;
    plan->report.equal_times += report->equal_times;
    plan->report.lengths_estimated |= report->lengths_estimated;
}

static int add_trace(struct plan *plan, const struct plan_options *options,
                     const char *path, uint32_t source, struct fault *fault)
{
    const struct requests_read_options read_options = {
        .format = (enum request_format)options->format,
        .time_unit = (enum time_unit)options->time_unit,
        .skip_bad_rows = options->bad_rows == BAD_ROWS_SKIP,
        .zero_output_one = options->zero_output == ZERO_OUTPUT_ONE,
        .keep_texts = plan_prompts_of_trace(options->prompts),
    };
    struct request_trace trace = { 0 };
    int rc = requests_read(&trace, path, &read_options, fault);
    if (rc < 0)
        goto done;
    if (source > 0 && trace.has_times != plan->has_times) {
        rc = fault_set(fault, STATUS_BAD_INPUT, "%s: %s times, unlike the other traces",
                       path, trace.has_times ? "has" : "has no");
        goto done;
    }
    plan->has_times = trace.has_times;
    if (options->spread_ticks && trace.tick_ns > 0)
        plan_spread_ticks(&trace, plan->seed, source);
    add_notes(plan, &trace, path, options->spread_ticks);
    add_report(plan, &trace.report);
    plan_append_trace(plan, &trace, source);
done:
    request_trace_release(&trace);
    return rc;
}

static int read_traces(struct plan *plan, const struct plan_options *options,
                       struct fault *fault)
{
    int rc = add_trace(plan, options, options->trace, 0, fault);
    for (size_t i = 0; i < options->merge.count && rc == STATUS_OK; i++)
        rc = add_trace(plan, options, options->merge.items[i], (uint32_t)i + 1, fault);
    if (rc < 0)
        return rc;
    if (options->merge.count > 0)
        plan_sort(plan);
    if (!plan->has_times && !options->allow_untimed && options->arrivals == NULL)
        return fault_set(fault, STATUS_USAGE,
                         "%s has no times: expected --arrivals LAW or a closed loop",
                         options->trace);
    return STATUS_OK;
}

static int repeat(struct plan *plan, const struct plan_options *options,
                  struct fault *fault)
{
    size_t copies = (size_t)options->repeat;
    int64_t period_ns;
    if (copies <= 1)
        return STATUS_OK;
    if (plan->count > REQUEST_ROWS_MAX / copies)
        return fault_set(fault, STATUS_LIMIT, "--repeat: more than %d requests",
                         REQUEST_ROWS_MAX);
    int rc = plan_period(plan, options->duration_ns, &period_ns, fault);
    if (rc < 0)
        return rc;
    return plan_extend(plan, plan->count * copies, period_ns, fault);
}

static int set_rate(struct plan *plan, const struct plan_options *options,
                    struct fault *fault)
{
    if (options->rate_per_s <= 0)
        return options->speed == 1 ? STATUS_OK
                                   : plan_scale(plan, 1 / (long double)options->speed,
                                                fault);
    double rate_per_s = plan_rate(plan);
    if (rate_per_s == 0)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "--rate: %zu rows without a span of time have no rate",
                         plan->count);
    return plan_scale(plan, (long double)rate_per_s / options->rate_per_s, fault);
}

static bool has_window(const struct plan_options *options)
{
    return options->start_ns > 0 || options->duration_ns > 0;
}

/* The steps up to --max-output, in the order that help gives them. */
static int select_rows(struct plan *plan, const struct plan_options *options,
                       struct fault *fault)
{
    if (has_window(options) && options->arrivals == NULL)
        plan_window(plan, options->start_ns, options->duration_ns);
    if (options->sample < 1)
        plan_sample(plan, options->sample);
    if (options->limit > 0)
        plan_limit(plan, (size_t)options->limit);
    plan_clip(plan, (uint32_t)options->max_input, (uint32_t)options->max_output);
    if (plan->count == 0)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "%s: the options leave none of its %llu rows",
                         options->trace, (unsigned long long)plan->report.accepted);
    return STATUS_OK;
}

static int plan_from_trace(struct plan *plan, const struct plan_options *options,
                           struct fault *fault)
{
    int rc = read_traces(plan, options, fault);
    if (rc == STATUS_OK)
        rc = select_rows(plan, options, fault);
    if (rc < 0)
        return rc;
    if (options->arrivals != NULL)
        return plan_synthesize(plan, options, fault);
    rc = repeat(plan, options, fault);
    return rc == STATUS_OK ? set_rate(plan, options, fault) : rc;
}

static int plan_from_laws(struct plan *plan, const struct plan_options *options,
                          struct fault *fault)
{
    int rc = plan_synthesize(plan, options, fault);
    return rc == STATUS_OK ? select_rows(plan, options, fault) : rc;
}

static int check_times(const struct plan *plan, struct fault *fault)
{
    int64_t last_ns = plan->requests[plan->count - 1].due_ns;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->requests[i].think_ns > PLAN_DUE_MAX_NS)
            return fault_set(fault, STATUS_LIMIT,
                             "request %zu waits %lld ns for its turn, expected at most "
                             "%lld", i, (long long)plan->requests[i].think_ns,
                             (long long)PLAN_DUE_MAX_NS);
    if (last_ns <= PLAN_DUE_MAX_NS)
        return STATUS_OK;
    return fault_set(fault, STATUS_LIMIT,
                     "the last request is due after %lld ns, expected at most %lld",
                     (long long)last_ns, (long long)PLAN_DUE_MAX_NS);
}

int plan_build(const struct plan_options *options, struct plan *plan, struct fault *fault)
{
    plan->seed = (uint64_t)options->seed;
    int rc = check_options(options, fault);
    if (rc == STATUS_OK)
        rc = options->trace != NULL ? plan_from_trace(plan, options, fault)
                                    : plan_from_laws(plan, options, fault);
    if (rc < 0)
        return rc;
    plan_number_sessions(plan);
    rc = plan_set_think_time(plan, options->think_time, fault);
    if (rc == STATUS_OK)
        rc = check_times(plan, fault);
    if (rc == STATUS_OK)
        rc = plan_set_prompts(plan, options->prompts, fault);
    if (rc == STATUS_OK)
        plan_set_hash(plan);
    return rc;
}
