#include <math.h>

#include "analyze/latency_profile_output.h"
#include "analyze/short_text.h"
#include "analyze/text_table.h"

static const char *const rule_texts[KNEE_RULES] = {
    "completed / planned", "growth of in-flight", "latency fit", "two segments",
};

static void add_estimate(struct text_table *table, double value,
                         const struct interval *interval)
{
    text_table_add(table, "%s", rate_text(value).text);
    if (interval->known)
        text_table_add(table, "%s to %s", rate_text(interval->low).text,
                       rate_text(interval->high).text);
    else
        text_table_add(table, "-");
}

static void show_rules(struct sheet *sheet, const struct latency_profile *profile)
{
    static const char *const heads[] = { "rule", "knee", "95 % interval", "", NULL };
    static const char *const states[] = {
        [KNEE_FOUND] = "", [KNEE_ABOVE] = "not reached in this range",
        [KNEE_BELOW] = "saturated from the first stage on",
    };
    const struct knee *knee = &profile->knee;
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t i = 0; i < KNEE_RULES; i++) {
        const struct knee_finding *rule = &knee->rules[i];
        text_table_add(&table, "%s", rule_texts[i]);
        add_estimate(&table, rule->knee_per_s, &rule->interval);
        text_table_add(&table, "%s",
                       rule->state == KNEE_UNKNOWN ? rule->why : states[rule->state]);
    }
    text_table_add(&table, "Kneedle");
    text_table_add(&table, "%s", rate_text(knee->kneedle_per_s).text);
    text_table_add(&table, "-");
    text_table_add(&table, "for reference");
    sheet_title(sheet, "Knee by rule");
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static const char *state_text(const struct latency_profile *profile, size_t row)
{
    const struct stage_signs *signs = latency_profile_signs(profile, row);
    if (profile->rows[row].evidence.use != STAGE_USABLE)
        return stage_row_use_name(&profile->rows[row]);
    if (signs->falls_short && signs->grows)
        return "saturated";
    if (signs->falls_short)
        return "falls short";
    return signs->grows ? "in-flight grows" : "held";
}

static void add_stage(struct text_table *table, const struct latency_profile *profile,
                      size_t at)
{
    const struct stage_row *row = &profile->rows[at];
    const struct stage_evidence *evidence = &row->evidence;
    const struct stage_signs *signs = latency_profile_signs(profile, at);
    struct stage_estimate sent = stage_rate(evidence, evidence->sent);
    struct stage_estimate completed = stage_rate(evidence, evidence->completed);
    text_table_add(table, "%s", row->name);
    text_table_add(table, "%s", rate_text(row->planned_per_s).text);
    text_table_add(table, "%s", rate_text(sent.value).text);
    add_estimate(table, completed.value, &completed.interval);
    text_table_add(table, "%s", percent_text(signs->ratio.value).text);
    text_table_add(table, "%s", rate_text(signs->growth.value).text);
    text_table_add(table, "%s", rate_text(row->steady.timeline.output_per_s).text);
    text_table_add(table, "%.4g", evidence->in_flight);
    text_table_add(table, "%s", row->steady.has_goodput
                                    ? percent_text(row->steady.goodput.share).text
                                    : "-");
    text_table_add(table, "%s", percent_text(row->client_share).text);
    text_table_add(table, "%s", duration_text(evidence->from_s).text);
    text_table_add(table, "%s", row->whole.verdict.valid ? "yes" : "NO");
    text_table_add(table, "%s", state_text(profile, at));
}

static void show_stages(struct sheet *sheet, const struct latency_profile *profile)
{
    static const char *const heads[] = {
        "stage", "planned", "sent", "completed", "95 % interval", "compl./planned",
        "growth", "tokens", "in flight", "goodput", "client", "warm-up", "believable",
        "", NULL,
    };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t i = profile->ladder; i < profile->count; i++)
        add_stage(&table, profile, i);
    sheet_title(sheet, "Stages, warm-up and drain left out");
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_ladder(struct sheet *sheet, const struct latency_profile *profile)
{
    static const char *const heads[] = {
        "stage", "kept open", "completed", "tokens", "TTFT p50", "E2E p50", NULL,
    };
    struct text_table table = { 0 };
    if (profile->ladder == 0)
        return;
    text_table_start(&table, heads);
    for (size_t i = 0; i < profile->ladder; i++) {
        const struct stage_row *row = &profile->rows[i];
        const struct distribution *metrics = row->whole.latency[BY_ARRIVAL].metrics;
        double ttft_s = distribution_headline(&metrics[METRIC_TTFT], HEADLINE_P50);
        double e2e_s = distribution_headline(&metrics[METRIC_E2E], HEADLINE_P50);
        text_table_add(&table, "%s", row->name);
        text_table_add(&table, "%s", count_text(row->concurrency).text);
        text_table_add(&table, "%s", rate_text(row->whole.timeline.completed_per_s).text);
        text_table_add(&table, "%s", rate_text(row->whole.timeline.output_per_s).text);
        text_table_add(&table, "%s", duration_text(ttft_s).text);
        text_table_add(&table, "%s", duration_text(e2e_s).text);
    }
    sheet_title(sheet, "Closed loop, to find the range; no evidence of the knee");
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void add_percentile(struct text_table *table, const struct distribution *values,
                           size_t headline, struct time_unit unit)
{
    const struct interval *interval = &values->headline[headline];
    text_table_add(table, "%s",
                   time_text(distribution_headline(values, headline), unit).text);
    if (interval->known)
        text_table_add(table, "%s to %s", time_text(interval->low, unit).text,
                       time_text(interval->high, unit).text);
    else
        text_table_add(table, "-");
}

/* One metric over the stages. */
static void show_metric(struct sheet *sheet, const struct latency_profile *profile,
                        const char *name, size_t metric)
{
    static const char *const heads[] = {
        "planned", "", "p50", "95 %", "p90", "95 %", "p99", "95 %", "values", NULL,
    };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t i = profile->ladder; i < profile->count; i++) {
        const struct stage_row *row = &profile->rows[i];
        const struct latencies *latencies = &row->steady.latency[BY_ARRIVAL];
        const struct distribution *values =
            metric == SLO_ITL ? &latencies->itl : &latencies->metrics[metric];
        struct time_unit unit =
            time_unit_for(distribution_headline(values, HEADLINE_P50));
        text_table_add(&table, "%s", rate_text(row->planned_per_s).text);
        text_table_add(&table, "%s", unit.name);
        add_percentile(&table, values, HEADLINE_P50, unit);
        add_percentile(&table, values, HEADLINE_P90, unit);
        add_percentile(&table, values, HEADLINE_P99, unit);
        text_table_add(&table, "%s", count_text(values->count).text);
    }
    sheet_title(sheet, "%s", name);
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_objectives(struct sheet *sheet, const struct latency_profile *profile)
{
    static const char *const heads[] = {
        "planned", "objective", "measured", "95 % interval", "asked", "", NULL,
    };
    struct text_table table = { 0 };
    if (profile->slo.count == 0)
        return;
    text_table_start(&table, heads);
    for (size_t i = profile->ladder; i < profile->count; i++)
        for (size_t term = 0; term < profile->slo.count; term++) {
            const struct load_objective *objective = &profile->rows[i].objectives[term];
            const struct interval *interval = &objective->interval;
            struct short_text (*text)(double) =
                objective->kind == OBJECTIVE_SHARE ? percent_text : duration_text;
            text_table_add(&table, "%s", rate_text(profile->rows[i].planned_per_s).text);
            text_table_add(&table, "%s", profile->slo.terms[term].text);
            text_table_add(&table, "%s", text(objective->value).text);
            if (interval->known)
                text_table_add(&table, "%s to %s", text(interval->low).text,
                               text(interval->high).text);
            else
                text_table_add(&table, "-");
            text_table_add(&table, "%s", text(objective->asked).text);
            text_table_add(&table, "%s", objective->certain ? "met"
                                         : objective->met   ? "not for certain"
                                                            : "MISSED");
        }
    sheet_title(sheet, "Objectives");
    sheet_table(sheet, &table);
    text_table_release(&table);
}

void latency_profile_show(struct sheet *sheet, const struct latency_profile *profile)
{
    static const struct {
        const char *name;
        size_t metric;
    } metrics[] = {
        { "TTFT", METRIC_TTFT }, { "TPOT", METRIC_TPOT }, { "ITL", SLO_ITL },
        { "NTPOT", METRIC_NTPOT }, { "E2E", METRIC_E2E },
    };
    show_rules(sheet, profile);
    show_stages(sheet, profile);
    show_objectives(sheet, profile);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        show_metric(sheet, profile, metrics[i].name, metrics[i].metric);
    show_ladder(sheet, profile);
}
