/* Figures of what the client adds: lag, queue, service. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/plot_input.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

enum { LAG_BINS_PER_DECADE = 8, LAG_BINS = 80, CURVE_STEPS = 97, QQ_POINTS = 200 };

/* Bins of equal width on a log scale from 0.1 us to 1,000 s; less, 0 and below 0 go to
 * the first, more to the last. */
static void add_lag(double *bins, double lag_us, double weight)
{
    double place = lag_us > 0.1 ? log10(lag_us / 0.1) * LAG_BINS_PER_DECADE : 0;
    bins[place < LAG_BINS ? (size_t)place : LAG_BINS - 1] += weight;
}

static double sum_of(const double *bins)
{
    double sum = 0;
    for (size_t i = 0; i < LAG_BINS; i++)
        sum += bins[i];
    return sum;
}

static void fill_send_lags(const struct collection *collection, double *bins)
{
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->due_ns != TIME_NONE && sample->sent_ns != TIME_NONE)
            add_lag(bins, (double)(sample->sent_ns - sample->due_ns) / 1e3, 1);
    }
}

static void fill_receive_lags(const struct collection *collection, double *bins)
{
    for (size_t log = 0; log < collection->log_count; log++) {
        const struct histogram *lag = &collection->logs[log].lag;
        for (size_t i = 0; lag->counts && i < HISTOGRAM_BUCKETS; i++)
            if (lag->counts[i] > 0)
                add_lag(bins, histogram_bucket_middle(i) / 1e3, (double)lag->counts[i]);
    }
}

/* As a block, without rows when there are no lags. */
static void add_shares(struct figure *figure, const double *bins,
                       struct figure_range *range)
{
    double sum = sum_of(bins);
    for (size_t i = 0; sum > 0 && i < LAG_BINS; i++) {
        double from_us = 0.1 * pow(10, (double)i / LAG_BINS_PER_DECADE);
        double to_us = 0.1 * pow(10, ((double)i + 1) / LAG_BINS_PER_DECADE);
        double row[] = { from_us, to_us, bins[i] / sum };
        figure_row(figure, row, 3);
        if (bins[i] > 0) {
            figure_range_add(range, from_us, true);
            figure_range_add(range, to_us, true);
        }
    }
}

/* Blocks 2 i and 2 i + 1: send and receive lags of run i. */
static struct figure_range add_lags(struct figure *figure, struct plot_input *input)
{
    struct figure_range range = FIGURE_RANGE_EMPTY;
    for (size_t i = 0; i < input->run_count; i++) {
        struct plot_run *run = &input->runs[i];
        double send[LAG_BINS] = { 0 };
        double receive[LAG_BINS] = { 0 };
        fill_send_lags(&run->analysis.collection, send);
        fill_receive_lags(&run->analysis.collection, receive);
        figure_block(figure, "send lags of %s", buffer_text(&run->label));
        add_shares(figure, send, &range);
        figure_block(figure, "receive lags of %s", buffer_text(&run->label));
        add_shares(figure, receive, &range);
    }
    return range;
}

static void lag_panel(struct figure *figure, size_t panel, const char *label,
                      struct figure_range range)
{
    figure_panel(figure, panel, label, "share");
    figure_log_axis(figure, "x", range);
    figure_line(figure, "set yrange [0:*]");
}

static void lag_of_one(struct figure *figure, struct figure_range range)
{
    static const struct figure_key key = { 2, 15 };
    figure_panels(figure, 1, 1.7, &key);
    lag_panel(figure, 0, "lag (µs)", range);
    figure_curve(figure, 0, "using 1:3 with steps lt 1 title 'send, requests'");
    figure_curve(figure, 1, "using 1:3 with steps lt 2 title 'receive, tokens'");
    figure_panel_end(figure);
}

static void lag_of_many(struct figure *figure, struct plot_input *input,
                        struct figure_range range)
{
    static const char *const labels[] = { "send lag of requests (µs)",
                                          "receive lag of tokens (µs)" };
    const struct figure_key keys[2] = { plot_runs_key(input) };
    figure_panels(figure, 2, 1.2, keys);
    for (size_t panel = 0; panel < 2; panel++) {
        lag_panel(figure, panel, labels[panel], range);
        for (size_t i = 0; i < input->run_count; i++)
            figure_curve(figure, 2 * i + panel, "using 1:3 with steps lt %zu title '%s'",
                         i + 1, buffer_text(&input->runs[i].label));
        figure_panel_end(figure);
    }
}

void plot_lag(struct figure *figure, struct plot_input *input, size_t item)
{
    (void)item;
    figure_remark(figure, "Histograms of lags: of requests, sent - due; of token events, "
                          "app - arrival. Columns: from (us),");
    figure_remark(figure, "to (us), share. The first bin holds all below it, the last "
                          "all above.");
    struct figure_range range = add_lags(figure, input);
    if (input->run_count == 1)
        lag_of_one(figure, range);
    else
        lag_of_many(figure, input, range);
}

/* The worker with most events among those that the analysis could judge. */
static const struct queue_worker *busiest(const struct queue *queue)
{
    const struct queue_worker *best = NULL;
    for (size_t i = 0; i < queue->worker_count; i++)
        if (!queue->workers[i].problem &&
            (!best || queue->workers[i].events > best->events))
            best = &queue->workers[i];
    return best;
}

/* What was served at this load, a busy loop's services for one, says nothing of others:
 * the curves suppose that services do not depend on it. */
static void add_models(struct figure *figure, const struct queue_worker *worker,
                       struct figure_range *range)
{
    for (int i = 1; i <= CURVE_STEPS; i++) {
        double rho = i / (CURVE_STEPS + 1.0);
        double row[1 + QUEUE_MODELS] = { rho };
        struct queue_inputs inputs = worker->recorded.inputs;
        queue_inputs_assume_independent(&inputs);
        inputs.rate_per_s = rho / inputs.service_s;
        struct queue_predictions predictions = queue_predict(&inputs);
        for (int model = 0; model < QUEUE_MODELS; model++) {
            row[1 + model] = predictions.mean_s[model] * 1e6;
            figure_range_add(range, row[1 + model], true);
        }
        figure_row(figure, row, 1 + QUEUE_MODELS);
    }
}

/* Logs resolve 0.1 us: where models say next to nothing at low load, the axis ends. */
static const double least_wait_us = 0.01;

static void queue_script(struct figure *figure, size_t measured, size_t models,
                         struct figure_range range)
{
    static const struct figure_key key = { QUEUE_MODELS, 16 };
    figure_panels(figure, 1, 1.8, &key);
    figure_panel(figure, 0, "utilisation", "mean wait (µs)");
    figure_line(figure, "set xrange [0:1]");
    range.low = fmax(range.low, least_wait_us);
    figure_log_axis(figure, "y", range);
    for (int model = 0; model < QUEUE_MODELS; model++)
        if (model != MODEL_KINGMAN)
            figure_curve(figure, models, "using 1:%d with lines lt %d title '%s'",
                         model + 2, model + 1, queue_model_names[model]);
    figure_curve(figure, measured,
                 "using 1:2:3:4 with yerrorbars lt 7 dt 1 pt 7 title "
                 "'measured'");
    figure_panel_end(figure);
}

static size_t add_measured(struct figure *figure, const struct queue *queue,
                           struct figure_range *range)
{
    size_t block = figure_block(figure, "measured");
    for (size_t i = 0; i < queue->worker_count; i++) {
        const struct queue_worker *each = &queue->workers[i];
        if (each->problem)
            continue;
        const struct estimate *mean = &each->observed.mean;
        double row[] = { each->recorded.predictions.rho, mean->value * 1e6,
                         mean->interval.low * 1e6, mean->interval.high * 1e6 };
        if (!mean->interval.known)
            row[2] = row[3] = row[1];
        figure_row(figure, row, 4);
        for (size_t k = 1; k < 4; k++)
            figure_range_add(range, row[k], true);
    }
    return block;
}

void plot_queue(struct figure *figure, struct plot_input *input, size_t item)
{
    struct figure_range range = FIGURE_RANGE_EMPTY;
    const struct queue *queue = plot_run_queue(&input->runs[item], figure);
    const struct queue_worker *worker = queue ? busiest(queue) : NULL;
    if (!worker) {
        if (queue)
            figure_refuse(figure, "no worker has enough events");
        return;
    }
    figure_remark(figure, "First block, a worker a line: utilisation, mean wait, its "
                          "interval at 95 %% from, to (us).");
    figure_remark(figure,
                  "Second: utilisation, then mean waits (us) of the models for "
                  "worker %u's services:",
                  worker->worker);
    for (int model = 0; model < QUEUE_MODELS; model++)
        figure_remark(figure, "  column %d: %s", model + 2, queue_model_names[model]);
    size_t measured = add_measured(figure, queue, &range);
    size_t models = figure_block(figure, "models");
    add_models(figure, worker, &range);
    queue_script(figure, measured, models, range);
}

/* By bisection on a log scale; the law's cdf rises. */
static double law_quantile(const struct service_law *law, double p)
{
    double low = 1e-9;
    double high = 1e4;
    for (int i = 0; i < 100; i++) {
        double middle = sqrt(low * high);
        if (service_law_cdf(law, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return sqrt(low * high);
}

static size_t services_of(const struct queue *queue, const struct queue_worker *worker,
                          double **services)
{
    const struct queue_log *log = &queue->data->logs[worker - queue->workers];
    size_t count = 0;
    *services = memory_new(log->count, sizeof **services);
    for (size_t i = log->first; i < log->first + log->count; i++)
        if (queue->data->events[i].service_ns > 0)
            (*services)[count++] = (double)queue->data->events[i].service_ns / NS_PER_S;
    quantile_sort(*services, count);
    return count;
}

void plot_service(struct figure *figure, struct plot_input *input, size_t item)
{
    const struct queue *queue = plot_run_queue(&input->runs[item], figure);
    const struct queue_worker *worker = queue ? busiest(queue) : NULL;
    if (!worker || worker->services.fitted == 0) {
        if (queue)
            figure_refuse(figure, "no law could be fitted to the services");
        return;
    }
    struct figure_range range = FIGURE_RANGE_EMPTY;
    double *services = NULL;
    size_t count = services_of(queue, worker, &services);
    const struct service_law *law = &worker->services.laws[worker->services.best];
    figure_remark(figure,
                  "Services of worker %u against the law with the lowest AIC. "
                  "Columns: quantile of the law (us),",
                  worker->worker);
    figure_remark(figure, "of the services (us), p.");
    size_t block = figure_block(figure, "%s", service_law_names[law->kind]);
    for (int i = 0; count > 0 && i < QQ_POINTS; i++) {
        double p = (i + 0.5) / QQ_POINTS;
        double row[] = { law_quantile(law, p) * 1e6,
                         quantile_of_sorted(services, count, p) * 1e6, p };
        figure_row(figure, row, 3);
        figure_range_add(&range, row[0], true);
        figure_range_add(&range, row[1], true);
    }
    free(services);
    static const struct figure_key key = { 2, 9 };
    figure_panels(figure, 1, 1.8, &key);
    char label[64];
    snprintf(label, sizeof label, "fitted %s law (µs)", service_law_names[law->kind]);
    figure_panel(figure, 0, label, "service (µs)");
    figure_log_axis(figure, "x", range);
    figure_log_axis(figure, "y", range);
    figure_curve(figure, block, "using 1:2 with points lt 1 title 'quantiles'");
    figure_extra(figure, "x with lines lt 7 dt 2 title 'equal'");
    figure_panel_end(figure);
}
