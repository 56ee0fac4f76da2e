#include "analyze/ntpot_parts.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/bootstrap.h"
#include "analyze/metrics.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"

static void add_decode(struct ratio_sums *sums, const struct request_sample *sample)
{
    double tpot_s;
    if (!metric_value(sample, METRIC_TPOT, BY_ARRIVAL, &tpot_s))
        return;
    double tokens = sample->output_tokens - sample->first_event_tokens;
    ratio_add(sums, tpot_s * tokens, tokens);
}

static void set_decode(struct ntpot_parts *parts, const struct request_sample *samples,
                       size_t count)
{
    struct ratio_sums *sums = memory_new(1, sizeof *sums);
    for (size_t i = 0; i < count; i++)
        if (samples[i].outcome == OUTCOME_OK)
            add_decode(sums, &samples[i]);
    parts->decode_s = ratio_value(sums);
    parts->decode_interval = ratio_interval(sums);
    free(sums);
}

static struct envelope fit_prefill(const struct request_sample *samples, size_t count)
{
    double *input = memory_new(count, sizeof *input);
    double *ttft_s = memory_new(count, sizeof *ttft_s);
    size_t points = 0;
    for (size_t i = 0; i < count; i++)
        if (samples[i].outcome == OUTCOME_OK &&
            metric_uncached_input(&samples[i], &input[points]) &&
            metric_value(&samples[i], METRIC_TTFT, BY_ARRIVAL, &ttft_s[points]))
            points++;
    struct envelope result = envelope_fit(input, ttft_s, points);
    free(input);
    free(ttft_s);
    return result;
}

/* One request's time, in seconds: total = rest + prefill + decode. */
struct split {
    double total_s;
    double rest_s;
    double prefill_s;
    double decode_s;
};

/* prefill_s is NaN where the price of an input token is not known: then the rest keeps
 * it. With several choices, total_s holds the wait for the prompt once for each. */
static bool split_request(const struct ntpot_parts *parts,
                          const struct request_sample *sample, double prefill_s,
                          struct split *split)
{
    double input = 0;
    double tpot_s;
    if (sample->outcome != OUTCOME_OK || sample->output_tokens == 0 ||
        !metric_choices_e2e(sample, BY_ARRIVAL, &split->total_s))
        return false;
    if (!isnan(prefill_s) && !metric_uncached_input(sample, &input))
        return false;
    if (!metric_value(sample, METRIC_TPOT, BY_ARRIVAL, &tpot_s))
        tpot_s = parts->decode_s;
    if (isnan(tpot_s))
        return false;
    split->prefill_s = isnan(prefill_s) ? 0 : input * prefill_s * sample->choices;
    split->decode_s = sample->output_tokens * tpot_s;
    split->rest_s = split->total_s - split->prefill_s - split->decode_s;
    return true;
}

/* Sums over requests. */
struct split_sums {
    struct split time;
    double output_tokens;
};

static void add_split(struct split_sums *sums, const struct split *split,
                      uint32_t output_tokens)
{
    sums->time.total_s += split->total_s;
    sums->time.rest_s += split->rest_s;
    sums->time.prefill_s += split->prefill_s;
    sums->time.decode_s += split->decode_s;
    sums->output_tokens += output_tokens;
}

static struct distribution rest_of(const struct ntpot_parts *parts,
                                   const struct request_sample *samples, size_t count,
                                   double prefill_s, struct split_sums *sums)
{
    double *rests = memory_new(count, sizeof *rests);
    size_t defined = 0;
    uint64_t succeeded = 0;
    for (size_t i = 0; i < count; i++) {
        struct split split;
        succeeded += samples[i].outcome == OUTCOME_OK;
        if (!split_request(parts, &samples[i], prefill_s, &split))
            continue;
        rests[defined++] = split.rest_s;
        add_split(sums, &split, samples[i].output_tokens);
    }
    struct distribution result = distribution_of_values(rests, defined,
                                                        succeeded - defined);
    free(rests);
    return result;
}

struct ntpot_parts ntpot_parts_of(const struct request_sample *samples, size_t count)
{
    struct ntpot_parts parts = { 0 };
    struct split_sums sums = { 0 };
    set_decode(&parts, samples, count);
    parts.prefill = fit_prefill(samples, count);
    parts.queue_and_prefill = rest_of(&parts, samples, count, NAN, &sums);
    parts.queue = distribution_of_values(
        NULL, 0, parts.queue_and_prefill.count + parts.queue_and_prefill.excluded);

    sums = (struct split_sums){ 0 };
    if (!parts.prefill.reason)
        parts.queue = rest_of(&parts, samples, count, parts.prefill.slope, &sums);
    bool known = sums.output_tokens > 0;
    parts.ntpot_s = known ? sums.time.total_s / sums.output_tokens : NAN;
    parts.queue_per_output_s = known ? sums.time.rest_s / sums.output_tokens : NAN;
    parts.prefill_per_output_s = known ? sums.time.prefill_s / sums.output_tokens : NAN;
    parts.decode_per_output_s = known ? sums.time.decode_s / sums.output_tokens : NAN;
    return parts;
}
