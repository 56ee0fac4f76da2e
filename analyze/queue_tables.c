/* What is printed of one worker. */
#include <math.h>

#include "analyze/lindley.h"
#include "analyze/queue_output.h"
#include "analyze/short_text.h"
#include "analyze/text_table.h"
#include "formats/base/clock.h"

enum estimate_unit { UNIT_TIME, UNIT_RATE, UNIT_NUMBER, UNIT_SQUARE_US, UNIT_CUBE_US };

static void add_value(struct text_table *table, double value, enum estimate_unit unit)
{
    if (!isfinite(value))
        text_table_add(table, "-");
    else if (unit == UNIT_TIME)
        text_table_add(table, "%s", duration_text(value).text);
    else if (unit == UNIT_RATE)
        text_table_add(table, "%s", rate_text(value).text);
    else if (unit == UNIT_NUMBER)
        text_table_add(table, "%.4g", value);
    else if (unit == UNIT_SQUARE_US)
        text_table_add(table, "%.4g µs²", value * 1e12);
    else
        text_table_add(table, "%.4g µs³", value * 1e18);
}

static void add_estimate(struct text_table *table, const char *name,
                         const struct estimate *estimate, enum estimate_unit unit)
{
    text_table_add(table, "%s", name);
    add_value(table, estimate->value, unit);
    add_value(table, estimate->interval.known ? estimate->interval.low : NAN, unit);
    add_value(table, estimate->interval.known ? estimate->interval.high : NAN, unit);
}

static void show_estimates(struct sheet *sheet, const struct queue *queue,
                           const struct queue_worker *worker)
{
    static const char *const heads[] = { "estimates", "", "95 %: from", "to", NULL };
    const struct queue_estimates *estimates = &worker->estimates;
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    add_estimate(&table, "λ, events", &estimates->rate_per_s, UNIT_RATE);
    if (queue->served) {
        add_estimate(&table, "E[S]", &estimates->service[0], UNIT_TIME);
        add_estimate(&table, "E[S²]", &estimates->service[1], UNIT_SQUARE_US);
        add_estimate(&table, "E[S³]", &estimates->service[2], UNIT_CUBE_US);
        add_estimate(&table, "squared CV of S", &estimates->service_squared_cv,
                     UNIT_NUMBER);
        add_estimate(&table, "set-up V", &estimates->setup, UNIT_TIME);
        add_estimate(&table, "ρ = λ E[S]", &estimates->rho, UNIT_NUMBER);
        struct estimate busy = { worker->busy_share, interval_unknown };
        add_estimate(&table, "ρ, busy share of the loop", &busy, UNIT_NUMBER);
    }
    add_estimate(&table, "events in a batch, E[X]", &estimates->batches.size,
                 UNIT_NUMBER);
    add_estimate(&table, "E[X²]", &estimates->batches.size_2, UNIT_NUMBER);
    sheet_table(sheet, &table);
    text_table_release(&table);
    sheet_line(sheet, "%s batches, split at gaps over %s",
               count_text(estimates->batches.count).text,
               duration_text((double)estimates->batches.gap_ns / NS_PER_S).text);
    struct buffer text = BUFFER_INIT;
    queue_rho_sentence(&text, worker);
    if (text.len > 0)
        sheet_line(sheet, "ρ: %s", buffer_text(&text));
    buffer_release(&text);
}

static void add_figures(struct text_table *table, const char *name,
                        const struct wait_figures *figures, double seen_s)
{
    text_table_add(table, "%s", name);
    add_value(table, figures->mean.value, UNIT_TIME);
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        add_value(table, figures->percentiles[i].value, UNIT_TIME);
    text_table_add(table, "%s", number_text(figures->mean.value / seen_s).text);
}

static void add_interval(struct text_table *table, const struct interval *interval)
{
    if (interval->known)
        text_table_add(table, "±%s",
                       duration_text((interval->high - interval->low) / 2).text);
    else
        text_table_add(table, "-");
}

static void add_observed(struct text_table *table, const struct queue_worker *worker)
{
    const struct wait_figures *observed = &worker->observed;
    add_figures(table, "observed, set-up included", observed, observed->mean.value);
    text_table_add(table, "  95 %%");
    add_interval(table, &observed->mean.interval);
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        add_interval(table, &observed->percentiles[i].interval);
    text_table_add(table, "%s", "");
    text_table_add(table, "observed, without set-up");
    add_value(table, worker->without_setup_s, UNIT_TIME);
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        text_table_add(table, "-");
    text_table_add(table, "%s",
                   number_text(worker->without_setup_s / observed->mean.value).text);
}

/* The middle of the bracket; the bracket itself is in the JSON. */
static void add_bracket(struct text_table *table, const struct bracket *bracket)
{
    add_value(table, (bracket->low + bracket->high) / 2, UNIT_TIME);
}

static void add_models(struct text_table *table, const struct queue_model_set *set,
                       double seen_s)
{
    for (unsigned model = 0; model < QUEUE_MODELS; model++) {
        text_table_add(table, "%s", queue_model_names[model]);
        add_value(table, set->predictions.mean_s[model], UNIT_TIME);
        for (size_t i = 0; i < WAIT_PERCENTILES; i++) {
            if (model == MODEL_MG1)
                add_bracket(table, &set->mg1[i]);
            else
                text_table_add(table, "-");
        }
        text_table_add(table, "%s",
                       number_text(set->predictions.mean_s[model] / seen_s).text);
    }
    add_figures(table, "Lindley, recorded arrivals", &set->lindley, seen_s);
    add_figures(table, "Lindley + set-up", &set->lindley_setup, seen_s);
}

static void show_waits(struct sheet *sheet, const struct queue_worker *worker,
                       const struct queue_model_set *set)
{
    static const char *const heads[] = { "wait", "mean", "p50", "p90", "p99",
                                         "/ observed", NULL };
    static const char *const heads_supposed[] = { "wait", "mean", "p50", "p90", "p99",
                                                  "/ Lindley", NULL };
    bool recorded = set->service_ns == LINDLEY_RECORDED;
    double seen_s = recorded ? worker->observed.mean.value : set->lindley.mean.value;
    struct text_table table = { 0 };
    text_table_start(&table, recorded ? heads : heads_supposed);
    if (recorded)
        add_observed(&table, worker);
    add_models(&table, set, seen_s);
    sheet_gap(sheet);
    if (!recorded)
        sheet_line(sheet, "If every event took %s: ρ = %s",
                   duration_text(set->inputs.service_s).text,
                   number_text(set->predictions.rho).text);
    sheet_table(sheet, &table);
    text_table_release(&table);
}

void queue_show_worker(struct sheet *sheet, const struct queue *queue,
                       const struct queue_worker *worker)
{
    if (worker->problem)
        return;
    sheet_title(sheet, "Worker %u: %s events in %s", worker->worker,
                count_text(worker->events).text,
                duration_text(worker->estimates.span_s).text);
    show_estimates(sheet, queue, worker);
    if (queue->served)
        show_waits(sheet, worker, &worker->recorded);
    if (queue->supposed)
        show_waits(sheet, worker, &worker->supposed);
    queue_show_assumptions(sheet, queue, worker);
}
