#include "analyze/metrics.h"

#include "formats/base/clock.h"

const char *const metric_names[REQUEST_METRICS] = {
    [METRIC_TTFT] = "ttft",
    [METRIC_TTFT_CONTENT] = "ttft_content",
    [METRIC_TPOT] = "tpot",
    [METRIC_NTPOT] = "ntpot",
    [METRIC_E2E] = "e2e",
};

static const struct token_times *times_of(const struct request_sample *sample,
                                          enum flavour flavour)
{
    return flavour == BY_APP ? &sample->app : &sample->arrival;
}

static int64_t origin_of(const struct request_sample *sample, enum flavour flavour)
{
    return flavour == FROM_DUE ? sample->due_ns : sample->sent_ns;
}

static bool interval_s(int64_t from_ns, int64_t to_ns, double *seconds)
{
    if (from_ns == TIME_NONE || to_ns == TIME_NONE)
        return false;
    *seconds = (double)(to_ns - from_ns) / NS_PER_S;
    return true;
}

static bool tpot(const struct request_sample *sample, const struct token_times *times,
                 double *seconds)
{
    if (times->span_ns == TIME_NONE ||
        sample->output_tokens <= sample->first_event_tokens ||
        sample->output_events <= sample->choices)
        return false;
    uint32_t tokens = sample->output_tokens - sample->first_event_tokens;
    *seconds = (double)times->span_ns / tokens / NS_PER_S;
    return true;
}

bool metric_choices_e2e(const struct request_sample *sample, enum flavour flavour,
                        double *seconds)
{
    const struct token_times *times = times_of(sample, flavour);
    int64_t origin_ns = origin_of(sample, flavour);
    if (times->early_ns == TIME_NONE || origin_ns == TIME_NONE)
        return false;
    int64_t longest_ns = times->last_ns - origin_ns;
    double total_ns = (double)longest_ns * sample->choices - (double)times->early_ns;
    *seconds = total_ns / NS_PER_S;
    return true;
}

static bool ntpot(const struct request_sample *sample, enum flavour flavour,
                  double *seconds)
{
    double total_s;
    if (sample->output_tokens == 0 || !metric_choices_e2e(sample, flavour, &total_s))
        return false;
    *seconds = total_s / sample->output_tokens;
    return true;
}

bool metric_value(const struct request_sample *sample, enum metric metric,
                  enum flavour flavour, double *seconds)
{
    const struct token_times *times = times_of(sample, flavour);
    int64_t origin_ns = origin_of(sample, flavour);
    switch (metric) {
    case METRIC_TTFT:
        return interval_s(origin_ns, times->first_ns, seconds);
    case METRIC_TTFT_CONTENT:
        return interval_s(origin_ns, times->first_content_ns, seconds);
    case METRIC_E2E:
        return interval_s(origin_ns, times->last_ns, seconds);
    case METRIC_TPOT:
        return tpot(sample, times, seconds);
    case METRIC_NTPOT:
        return ntpot(sample, flavour, seconds);
    case REQUEST_METRICS:
        break;
    }
    return false;
}

bool metric_uncached_input(const struct request_sample *sample, double *tokens)
{
    if (sample->input_tokens == COUNT_NONE ||
        sample->cached_tokens > sample->input_tokens)
        return false;
    *tokens = sample->input_tokens - sample->cached_tokens;
    return true;
}
