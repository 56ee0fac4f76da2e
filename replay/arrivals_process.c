#include "replay/arrivals_process.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/buffer.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/units.h"
#include "formats/requests.h"
#include "replay/plan_streams.h"
#include "replay/random_laws.h"

static const double CV_MAX = 100;
static const long double TIME_END_NS = 0x1p62L;

static int refuse_law(const char *text, struct fault *fault)
{
    return fault_set(fault, STATUS_USAGE,
                     "--arrivals: \"%s\", expected constant, poisson, gamma:CV, "
                     "onoff:ON,OFF[,FRACTION] or servegen:DIR",
                     text);
}

/* The next comma-separated part of *text as a duration. */
static bool take_duration(const char **text, int64_t *ns)
{
    struct buffer part = BUFFER_INIT;
    struct fault ignored = { 0 };
    size_t len = strcspn(*text, ",");
    buffer_append(&part, *text, len);
    bool good = units_parse_duration(buffer_text(&part), ns, &ignored) == STATUS_OK;
    buffer_release(&part);
    *text += len;
    return good;
}

static bool parse_onoff(struct arrivals_process *process, const char *text)
{
    struct fault ignored = { 0 };
    process->off_fraction = 0;
    if (!take_duration(&text, &process->on_ns) || *text++ != ',')
        return false;
    if (!take_duration(&text, &process->off_ns))
        return false;
    if (*text == ','
        && units_parse_float(text + 1, &process->off_fraction, &ignored) < 0)
        return false;
    return process->on_ns > 0 && process->off_ns >= 0 && process->off_fraction >= 0
           && process->off_fraction <= 1;
}

int arrivals_process_parse(struct arrivals_process *process, const char *text,
                           struct fault *fault)
{
    struct fault ignored = { 0 };
    const char *colon = strchr(text, ':');
    size_t name_len = colon != NULL ? (size_t)(colon - text) : strlen(text);
    static const struct {
        const char *name;
        enum arrival_law law;
        bool has_argument;
    } laws[] = {
        { "constant", ARRIVALS_CONSTANT, false }, { "poisson", ARRIVALS_POISSON, false },
        { "gamma", ARRIVALS_GAMMA, true },        { "onoff", ARRIVALS_ONOFF, true },
        { "servegen", ARRIVALS_SERVEGEN, true },
    };
    size_t i = 0;
    while (i < 5 && (strlen(laws[i].name) != name_len
                     || strncmp(laws[i].name, text, name_len) != 0))
        i++;
    if (i == 5 || laws[i].has_argument != (colon != NULL))
        return refuse_law(text, fault);
    *process = (struct arrivals_process){ .law = laws[i].law, .directory = colon };
    bool good = true;
    if (process->law == ARRIVALS_GAMMA)
        good = units_parse_float(colon + 1, &process->cv, &ignored) == STATUS_OK
               && process->cv > 0 && process->cv <= CV_MAX;
    else if (process->law == ARRIVALS_ONOFF)
        good = parse_onoff(process, colon + 1);
    else if (process->law == ARRIVALS_SERVEGEN)
        process->directory = colon + 1;
    return good ? STATUS_OK : refuse_law(text, fault);
}

/* Gap number i in units of the mean gap: a function of (seed, i) alone. */
static double unit_gap(const struct arrivals_process *process, uint64_t seed, size_t i)
{
    struct random_stream stream;
    random_stream_init(&stream, seed, STREAM_GAP, i);
    if (process->law == ARRIVALS_GAMMA)
        return random_gamma_mean_1(&stream, 1 / (process->cv * process->cv));
    return random_exponential(&stream);
}

/* The moment when an on/off process has had `events` expected arrivals: the unit-rate
 * process is mapped through the inverse of its cumulated rate. */
static long double onoff_time(const struct arrivals_process *process, double rate_per_s,
                              long double events)
{
    long double on_s = (long double)process->on_ns / NS_PER_S;
    long double off_s = (long double)process->off_ns / NS_PER_S;
    long double cycle_s = on_s + off_s;
    long double on_rate = rate_per_s * cycle_s / (on_s + process->off_fraction * off_s);
    long double per_cycle = rate_per_s * cycle_s;
    long double cycles = floorl(events / per_cycle);
    long double rest = events - cycles * per_cycle;
    long double in_burst = on_rate * on_s;
    if (rest <= in_burst || process->off_fraction == 0)
        return cycles * cycle_s + rest / on_rate;
    long double off_rate = on_rate * process->off_fraction;
    return cycles * cycle_s + on_s + (rest - in_burst) / off_rate;
}

/* Arrival i, where `events` is the sum of unit gaps up to it. */
static long double arrival_ns(const struct arrivals_process *process, double rate_per_s,
                              size_t i, long double events)
{
    long double rate = rate_per_s;
    if (process->law == ARRIVALS_CONSTANT)
        return (long double)i / rate * NS_PER_S;
    if (process->law == ARRIVALS_ONOFF)
        return onoff_time(process, rate_per_s, events) * NS_PER_S;
    return events / rate * NS_PER_S;
}

int arrivals_process_draw(const struct arrivals_process *process, double rate_per_s,
                          int64_t duration_ns, size_t requests, uint64_t seed,
                          int64_t **times, size_t *count, struct fault *fault)
{
    size_t capacity = 0;
    long double events = 0;
    long double end_ns = duration_ns > 0 ? (long double)duration_ns : TIME_END_NS;
    *times = NULL;
    *count = 0;
    for (size_t i = 0; requests == 0 || i < requests; i++) {
        if (process->law != ARRIVALS_CONSTANT)
            events += unit_gap(process, seed, i);
        long double time_ns = roundl(arrival_ns(process, rate_per_s, i, events));
        if (time_ns >= end_ns)
            break;
        if (i == REQUEST_ROWS_MAX)
            return fault_set(fault, STATUS_LIMIT, "--arrivals: more than %d requests",
                             REQUEST_ROWS_MAX);
        *times = memory_grow(*times, *count, &capacity, sizeof **times);
        (*times)[(*count)++] = (int64_t)time_ns;
    }
    return STATUS_OK;
}
