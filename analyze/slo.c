#include "analyze/slo.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/units.h"

/* Cuts `prefix` off the front of *text. */
static bool skip_prefix(const char **text, const char *prefix)
{
    size_t len = strlen(prefix);
    if (strncmp(*text, prefix, len) != 0)
        return false;
    *text += len;
    return true;
}

/* Takes the longest metric name off the front: ttft_content before ttft. */
static int take_metric(const char **text)
{
    int found = -1;
    size_t longest = 0;
    for (int metric = 0; metric <= SLO_ITL; metric++) {
        const char *name = metric == SLO_ITL ? "itl" : metric_names[metric];
        size_t len = strlen(name);
        if (len > longest && strncmp(*text, name, len) == 0) {
            found = metric;
            longest = len;
        }
    }
    *text += longest;
    return found;
}

/* "50", "99", "99_9" or "99.9" as a share; false for anything else or outside (0,
 * 100). */
static bool parse_percent(const char *text, double *p)
{
    char digits[8];
    size_t len = strlen(text);
    if (len == 0 || len >= sizeof digits || strspn(text, "0123456789._") != len)
        return false;
    memcpy(digits, text, len + 1);
    char *point = strchr(digits, '_');
    if (point)
        *point = '.';
    struct fault unused = { 0 };
    double percent;
    if (units_parse_float(digits, &percent, &unused) != STATUS_OK || percent <= 0 ||
        percent >= 100)
        return false;
    *p = percent / 100;
    return true;
}

static bool parse_statistic(struct slo_term *term, const char *text)
{
    if (strcmp(text, "") == 0)
        term->statistic = SLO_EACH;
    else if (strcmp(text, "_mean") == 0)
        term->statistic = SLO_MEAN;
    else if (strcmp(text, "_max") == 0)
        term->statistic = SLO_MAX;
    else if (skip_prefix(&text, "_p") && parse_percent(text, &term->p))
        term->statistic = SLO_QUANTILE;
    else
        return false;
    return true;
}

static int parse_term(struct slo_term *term, struct fault *fault)
{
    char left[SLO_TEXT_MAX];
    memcpy(left, term->text, sizeof left);
    char *limit = strchr(left, '<');
    if (!limit)
        return fault_set(fault, STATUS_USAGE, "objective '%s': expected METRIC<DURATION",
                         term->text);
    *limit++ = '\0';
    term->inclusive = *limit == '=';
    limit += term->inclusive;

    const char *name = left;
    if (skip_prefix(&name, "app:"))
        term->flavour = BY_APP;
    else if (skip_prefix(&name, "due:"))
        term->flavour = FROM_DUE;
    term->metric = take_metric(&name);
    if (term->metric < 0)
        return fault_set(fault, STATUS_USAGE,
                         "objective '%s': the metric is none of ttft, ttft_content, "
                         "tpot, ntpot, e2e, itl", term->text);
    if (!parse_statistic(term, name))
        return fault_set(fault, STATUS_USAGE,
                         "objective '%s': '%s' is no statistic such as _mean, _max, "
                         "_p99, _p99_9", term->text, name);
    int64_t limit_ns;
    int status = units_parse_duration(limit, &limit_ns, fault);
    if (status < 0)
        fault_prefix(fault, "objective '%s'", term->text);
    else
        term->limit_s = (double)limit_ns / NS_PER_S;
    return status;
}

int slo_parse(struct slo *slo, const char *text, struct fault *fault)
{
    for (;;) {
        size_t len = strcspn(text, ",");
        if (slo->count == SLO_TERMS_MAX)
            return fault_set(fault, STATUS_USAGE, "more than %d objectives",
                             SLO_TERMS_MAX);
        if (len >= SLO_TEXT_MAX)
            return fault_set(fault, STATUS_USAGE, "objective '%.*s...' is too long",
                             SLO_TEXT_MAX / 2, text);
        struct slo_term term = { 0 };
        memcpy(term.text, text, len);
        int status = parse_term(&term, fault);
        if (status < 0)
            return status;
        slo->terms[slo->count++] = term;
        if (text[len] == '\0')
            return STATUS_OK;
        text += len + 1;
    }
}

int slo_parse_list(struct slo *slo, const struct option_list *texts, struct fault *fault)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < texts->count && status == STATUS_OK; i++)
        status = slo_parse(slo, texts->items[i], fault);
    return status;
}

bool slo_term_holds(const struct slo_term *term, double value_s)
{
    return term->inclusive ? value_s <= term->limit_s : value_s < term->limit_s;
}

/* Whether there was nothing to wait for after the first tokens: one token for each
 * choice, or a stream that brought all in its first event. Of an answer that was no
 * stream nobody knows when its tokens were ready. */
static bool came_at_once(const struct request_sample *sample)
{
    return sample->output_events > 0 &&
           (sample->output_tokens <= sample->choices ||
            (sample->streamed && sample->output_tokens <= sample->first_event_tokens));
}

static bool term_met_by(const struct slo_term *term, const struct request_sample *sample)
{
    assert(term->statistic == SLO_EACH && term->metric < REQUEST_METRICS);
    double value_s;
    if (metric_value(sample, (enum metric)term->metric, term->flavour, &value_s))
        return slo_term_holds(term, value_s);
    return term->metric == METRIC_TPOT && came_at_once(sample);
}

bool slo_met_by(const struct slo *slo, const struct request_sample *sample)
{
    for (size_t i = 0; i < slo->count; i++)
        if (!term_met_by(&slo->terms[i], sample))
            return false;
    return true;
}
