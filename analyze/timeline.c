#include "analyze/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"

/* First and last of some moments, and how many. */
struct span {
    int64_t first_ns;
    int64_t last_ns;
    uint64_t count;
};

static void span_add(struct span *span, int64_t at_ns)
{
    if (at_ns == TIME_NONE)
        return;
    if (span->count == 0 || at_ns < span->first_ns)
        span->first_ns = at_ns;
    if (span->count == 0 || at_ns > span->last_ns)
        span->last_ns = at_ns;
    span->count++;
}

static double span_s(const struct span *span)
{
    return span->count == 0 ? 0 : (double)(span->last_ns - span->first_ns) / NS_PER_S;
}

enum moment {
    MOMENT_DUE,
    MOMENT_SENT,
    MOMENT_COMPLETED,
    MOMENT_GOOD,
    MOMENT_TOKEN,
    MOMENT_ANY,
    MOMENTS,
};

struct epoch {
    struct span spans[MOMENTS];
    uint64_t output_tokens;
    /* of the first token event: they open the interval and are not in it */
    uint64_t first_tokens;
};

static void add_tokens(struct epoch *epoch, const struct request_sample *sample)
{
    struct span *span = &epoch->spans[MOMENT_TOKEN];
    if (sample->arrival.first_ns == TIME_NONE)
        return;
    if (span->count == 0 || sample->arrival.first_ns < span->first_ns)
        epoch->first_tokens = sample->first_event_tokens;
    span_add(span, sample->arrival.first_ns);
    span_add(span, sample->arrival.last_ns);
    epoch->output_tokens += sample->output_tokens;
}

static void add_sample(struct epoch *epoch, const struct request_sample *sample,
                       const struct slo *slo)
{
    span_add(&epoch->spans[MOMENT_DUE], sample->due_ns);
    span_add(&epoch->spans[MOMENT_ANY], sample->due_ns);
    span_add(&epoch->spans[MOMENT_ANY], sample->end_ns);
    span_add(&epoch->spans[MOMENT_SENT], sample->sent_ns);
    add_tokens(epoch, sample);
    if (sample->outcome != OUTCOME_OK)
        return;
    span_add(&epoch->spans[MOMENT_COMPLETED], sample->end_ns);
    if (slo_met_by(slo, sample))
        span_add(&epoch->spans[MOMENT_GOOD], sample->end_ns);
}

static double rate_of(const struct epoch *epochs, size_t count, enum moment moment)
{
    double intervals = 0;
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        const struct span *span = &epochs[i].spans[moment];
        if (span->count < 2)
            continue;
        intervals += (double)(span->count - 1);
        seconds += span_s(span);
    }
    return seconds > 0 ? intervals / seconds : NAN;
}

static double output_rate_of(const struct epoch *epochs, size_t count)
{
    double tokens = 0;
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        double length_s = span_s(&epochs[i].spans[MOMENT_TOKEN]);
        if (length_s <= 0)
            continue;
        tokens += (double)epochs[i].output_tokens - (double)epochs[i].first_tokens;
        seconds += length_s;
    }
    return seconds > 0 ? tokens / seconds : NAN;
}

static struct inflight inflight_of_epoch(const struct collection *collection,
                                         size_t epoch, int64_t *from_ns, int64_t *to_ns,
                                         double *length_s)
{
    struct span span = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (collection->logs[sample->log].epoch != epoch ||
            sample->sent_ns == TIME_NONE || sample->end_ns == TIME_NONE ||
            sample->end_ns < sample->sent_ns)
            continue;
        from_ns[count] = sample->sent_ns;
        to_ns[count++] = sample->end_ns;
        span_add(&span, sample->sent_ns);
        span_add(&span, sample->end_ns);
    }
    *length_s = span_s(&span);
    return inflight_sweep(from_ns, to_ns, count);
}

/* The largest of the maxima, the mean over the time of all epochs. */
static struct inflight inflight_of(const struct collection *collection)
{
    int64_t *from_ns = memory_new(collection->count, sizeof *from_ns);
    int64_t *to_ns = memory_new(collection->count, sizeof *to_ns);
    struct inflight result = { .mean = NAN };
    double requests_s = 0;
    double seconds = 0;
    for (size_t epoch = 0; epoch < collection->epoch_count; epoch++) {
        double length_s;
        struct inflight one = inflight_of_epoch(collection, epoch, from_ns, to_ns,
                                                &length_s);
        result.max = one.max > result.max ? one.max : result.max;
        if (length_s <= 0)
            continue;
        requests_s += one.mean * length_s;
        seconds += length_s;
    }
    if (seconds > 0)
        result.mean = requests_s / seconds;
    free(from_ns);
    free(to_ns);
    return result;
}

struct timeline timeline_of(const struct collection *collection, const struct slo *slo)
{
    size_t count = collection->epoch_count;
    struct epoch *epochs = memory_new(count, sizeof *epochs);
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        add_sample(&epochs[collection->logs[sample->log].epoch], sample, slo);
    }
    struct timeline result = {
        .planned_per_s = rate_of(epochs, count, MOMENT_DUE),
        .sent_per_s = rate_of(epochs, count, MOMENT_SENT),
        .completed_per_s = rate_of(epochs, count, MOMENT_COMPLETED),
        .good_per_s = rate_of(epochs, count, MOMENT_GOOD),
        .output_per_s = output_rate_of(epochs, count),
        .inflight = inflight_of(collection),
    };
    for (size_t i = 0; i < count; i++)
        result.duration_s += span_s(&epochs[i].spans[MOMENT_ANY]);
    free(epochs);
    return result;
}
