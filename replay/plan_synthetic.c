#include "replay/plan_synthetic.h"

#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "replay/arrivals_process.h"
#include "replay/length_law.h"
#include "replay/plan_transform.h"
#include "replay/servegen.h"

static int check_bounds(const struct plan_options *options, struct fault *fault)
{
    if (options->rate_per_s <= 0)
        return fault_set(fault, STATUS_USAGE, "--arrivals %s: expected --rate with it",
                         options->arrivals);
    if (options->duration_ns == 0 && options->requests == 0)
        return fault_set(fault, STATUS_USAGE,
                         "--arrivals %s: expected --duration or --requests with it",
                         options->arrivals);
    if (options->start_ns > 0)
        return fault_set(fault, STATUS_USAGE, "--arrivals %s starts at 0, not at --start",
                         options->arrivals);
    return STATUS_OK;
}

static void add_requests(struct plan *plan, size_t count)
{
    plan->requests = memory_resize(plan->requests, count, sizeof *plan->requests);
    plan->capacity = count;
    for (; plan->count < count; plan->count++)
        plan->requests[plan->count] = (struct plan_request){
            .think_ns = THINK_NONE,
            .trace_row = plan->count,
            .session = SESSION_NONE,
            .text = TEXT_NONE,
        };
}

/* Lengths that are drawn independently, or together where one file gives both. */
static int draw_lengths(struct plan *plan, const struct plan_options *options,
                        struct fault *fault)
{
    struct length_law input = { 0 };
    struct length_law output = { 0 };
    int rc = length_law_parse(&input, "input-tokens", options->input_tokens, fault);
    if (rc == STATUS_OK && options->output_tokens != NULL)
        rc = length_law_parse(&output, "output-tokens", options->output_tokens, fault);
    if (rc == STATUS_OK && options->output_tokens == NULL && input.kind != LENGTH_FILE)
        rc = fault_set(fault, STATUS_USAGE,
                       "--input-tokens %s: expected --output-tokens with it",
                       options->input_tokens);
    bool joint = options->output_tokens == NULL;
    const struct length_law *of_output = joint ? &input : &output;
    for (size_t i = 0; i < plan->count && rc == STATUS_OK; i++) {
        struct plan_request *request = &plan->requests[i];
        request->input_tokens = length_law_draw(&input, STREAM_INPUT, plan->seed, i);
        request->output_tokens = length_law_draw(of_output, STREAM_OUTPUT, plan->seed, i);
    }
    length_law_release(&input);
    length_law_release(&output);
    return rc;
}

/* The trace's rows in turn, or drawn lengths, for each of the times. */
static int fill(struct plan *plan, const struct plan_options *options,
                const int64_t *times, size_t count, struct fault *fault)
{
    int rc;
    if (count == 0)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "--arrivals %s: no request falls into the "
                                                  "given duration",
                         options->arrivals);
    if (plan->count > 0) {
        if (count > plan->count)
            buffer_printf(&plan->notes,
                          "the %zu rows of the trace are sent %.4g times over\n",
                          plan->count, (double)count / (double)plan->count);
        plan_limit(plan, count);
        rc = plan_extend(plan, count, 0, fault);
    } else {
        add_requests(plan, count);
        rc = draw_lengths(plan, options, fault);
    }
    for (size_t i = 0; i < count && rc == STATUS_OK; i++)
        plan->requests[i].due_ns = times[i];
    return rc;
}

static int synthesize_law(struct plan *plan, const struct plan_options *options,
                          const struct arrivals_process *process, struct fault *fault)
{
    int64_t *times = NULL;
    size_t count = 0;
    int rc = check_bounds(options, fault);
    if (rc == STATUS_OK && plan->count == 0 && options->input_tokens == NULL)
        rc = fault_set(fault, STATUS_USAGE,
                       "--arrivals %s: expected --input-tokens and --output-tokens, or "
                       "--trace, with it",
                       options->arrivals);
    if (rc == STATUS_OK)
        rc = arrivals_process_draw(process, options->rate_per_s, options->duration_ns,
                                   (size_t)options->requests, plan->seed, &times, &count,
                                   fault);
    if (rc == STATUS_OK)
        rc = fill(plan, options, times, count, fault);
    free(times);
    return rc;
}

static int draw_published_lengths(struct plan *plan, const struct servegen *servegen,
                                  const struct servegen_arrival *arrivals,
                                  int64_t start_ns, struct fault *fault)
{
    size_t without = 0;
    for (size_t i = 0; i < servegen->count; i++)
        without += servegen->clients[i].lengths_count == 0;
    if (without == servegen->count)
        return fault_set(fault, STATUS_USAGE,
                         "--arrivals servegen: no client has lengths, expected "
                         "--input-tokens and --output-tokens");
    if (without > 0)
        buffer_printf(&plan->notes,
                      "servegen: %zu of %zu clients have no lengths of their own and use "
                      "those of another\n",
                      without, servegen->count);
    for (size_t i = 0; i < plan->count; i++)
        servegen_draw_lengths(servegen, &arrivals[i], start_ns, plan->seed,
                              &plan->requests[i].input_tokens,
                              &plan->requests[i].output_tokens);
    return STATUS_OK;
}

static int fill_published(struct plan *plan, const struct plan_options *options,
                          const struct servegen *servegen,
                          const struct servegen_arrival *arrivals, size_t count,
                          struct fault *fault)
{
    int64_t *times = memory_new(count, sizeof *times);
    for (size_t i = 0; i < count; i++)
        times[i] = arrivals[i].time_ns;
    int rc;
    if (plan->count > 0 || options->input_tokens != NULL || count == 0) {
        rc = fill(plan, options, times, count, fault);
    } else {
        add_requests(plan, count);
        for (size_t i = 0; i < count; i++)
            plan->requests[i].due_ns = times[i];
        rc = draw_published_lengths(plan, servegen, arrivals, options->start_ns, fault);
    }
    free(times);
    return rc;
}

/* Published windows from --start on, for --duration or to their end; --rate scales all
 * clients together. */
static int synthesize_servegen(struct plan *plan, const struct plan_options *options,
                               const char *directory, struct fault *fault)
{
    struct servegen servegen = { 0 };
    struct servegen_arrival *arrivals = NULL;
    size_t count = 0;
    double factor = 1;
    int rc = servegen_load(&servegen, directory, fault);
    if (rc < 0)
        goto done;
    int64_t end_ns = (int64_t)(servegen_end(&servegen) * NS_PER_S);
    int64_t duration_ns = end_ns - options->start_ns;
    if (options->duration_ns > 0 && options->duration_ns < duration_ns)
        duration_ns = options->duration_ns;
    double start_s = (double)options->start_ns / NS_PER_S;
    double rate_per_s = 0;
    if (duration_ns > 0)
        rate_per_s = servegen_rate(&servegen, start_s,
                                   start_s + (double)duration_ns / NS_PER_S);
    if (rate_per_s == 0) {
        rc = fault_set(fault, STATUS_BAD_INPUT,
                       "%s: no client sends anything in that time", directory);
        goto done;
    }
    if (options->rate_per_s > 0)
        factor = options->rate_per_s / rate_per_s;
    rc = servegen_draw(&servegen, options->start_ns, duration_ns, factor, plan->seed,
                       &arrivals, &count, fault);
    if (options->requests > 0 && count > (size_t)options->requests)
        count = (size_t)options->requests;
    if (rc == STATUS_OK)
        rc = fill_published(plan, options, &servegen, arrivals, count, fault);
done:
    free(arrivals);
    servegen_release(&servegen);
    return rc;
}

int plan_synthesize(struct plan *plan, const struct plan_options *options,
                    struct fault *fault)
{
    struct arrivals_process process;
    int rc = arrivals_process_parse(&process, options->arrivals, fault);
    if (rc < 0)
        return rc;
    plan->has_times = true;
    if (process.law == ARRIVALS_SERVEGEN)
        return synthesize_servegen(plan, options, process.directory, fault);
    return synthesize_law(plan, options, &process, fault);
}
