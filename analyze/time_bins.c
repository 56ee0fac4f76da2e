#include "analyze/time_bins.h"

#include <assert.h>
#include <math.h>

#include "formats/base/clock.h"

struct span {
    int64_t from_ns;
    int64_t to_ns;
    size_t bins;
};

static struct span span_of(const struct collection *collection, size_t bins)
{
    struct span span = { INT64_MAX, INT64_MIN, bins };
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        int64_t end_ns =
            sample->end_ns > sample->due_ns ? sample->end_ns : sample->due_ns;
        if (sample->due_ns == TIME_NONE)
            continue;
        span.from_ns = sample->due_ns < span.from_ns ? sample->due_ns : span.from_ns;
        span.to_ns = end_ns > span.to_ns ? end_ns : span.to_ns;
    }
    return span;
}

/* Where a time lies, in bins: 0 to span.bins. */
static double place_of(struct span span, int64_t at_ns)
{
    double place = ((double)at_ns - (double)span.from_ns) /
                   ((double)span.to_ns - (double)span.from_ns) * (double)span.bins;
    return place <= 0 ? 0 : fmin(place, (double)span.bins);
}

static size_t bin_of(struct span span, int64_t at_ns)
{
    size_t bin = (size_t)place_of(span, at_ns);
    return bin < span.bins ? bin : span.bins - 1;
}

/* The first bin whose middle is not before the time. */
static size_t middle_after(struct span span, int64_t at_ns)
{
    return (size_t)ceil(place_of(span, at_ns) - 0.5);
}

static void add_tokens(struct time_bins *bins, struct span span,
                       const struct request_sample *sample)
{
    const struct token_times *times = &sample->arrival;
    if (times->first_ns == TIME_NONE || times->last_ns == TIME_NONE)
        return;
    double from = place_of(span, times->first_ns);
    double to = place_of(span, times->last_ns);
    double tokens = (double)sample->output_tokens;
    if (to <= from) {
        bins->bins[bin_of(span, times->first_ns)].tokens_per_s += tokens;
        return;
    }
    for (size_t i = (size_t)from; i < span.bins && (double)i < to; i++) {
        double share = fmin(to, (double)i + 1) - fmax(from, (double)i);
        bins->bins[i].tokens_per_s += tokens * share / (to - from);
    }
}

static void add_request(struct time_bins *bins, struct span span, double *steps,
                        const struct request_sample *sample)
{
    add_tokens(bins, span, sample);
    if (sample->due_ns != TIME_NONE)
        bins->bins[bin_of(span, sample->due_ns)].planned_per_s++;
    if (sample->sent_ns == TIME_NONE)
        return;
    bins->bins[bin_of(span, sample->sent_ns)].sent_per_s++;
    if (sample->end_ns == TIME_NONE)
        return;
    if (sample->outcome == OUTCOME_OK)
        bins->bins[bin_of(span, sample->end_ns)].completed_per_s++;
    steps[middle_after(span, sample->sent_ns)]++;
    steps[middle_after(span, sample->end_ns)]--;
}

bool time_bins_of(struct time_bins *bins, const struct collection *collection,
                  size_t count)
{
    struct span span = span_of(collection, count);
    double steps[TIME_BINS_MAX + 1] = { 0 };
    double in_flight = 0;
    assert(count >= 1 && count <= TIME_BINS_MAX);
    *bins = (struct time_bins){ .count = count };
    if (span.from_ns >= span.to_ns || collection->epoch_count != 1)
        return false;
    bins->width_s =
        ((double)span.to_ns - (double)span.from_ns) / NS_PER_S / (double)count;
    for (size_t i = 0; i < collection->count; i++)
        add_request(bins, span, steps, &collection->samples[i]);
    for (size_t i = 0; i < count; i++) {
        struct time_bin *bin = &bins->bins[i];
        in_flight += steps[i];
        bin->in_flight = in_flight;
        bin->planned_per_s /= bins->width_s;
        bin->sent_per_s /= bins->width_s;
        bin->completed_per_s /= bins->width_s;
        bin->tokens_per_s /= bins->width_s;
    }
    return true;
}
