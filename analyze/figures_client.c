/* Figures of what the client adds: lag, queue, service. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/plot_input.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

enum { LAG_BINS_PER_DECADE = 8, LAG_BINS = 64, CURVE_STEPS = 97, QQ_POINTS = 200 };

/* Bins of equal width on a log scale from 0.1 us to 10 s; less, 0 and below 0 go to the
 * first, more to the last. */
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

static void fill_lags(const struct collection *collection, double *send, double *receive)
{
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->due_ns != TIME_NONE && sample->sent_ns != TIME_NONE)
            add_lag(send, (double)(sample->sent_ns - sample->due_ns) / 1e3, 1);
    }
    for (size_t log = 0; log < collection->log_count; log++) {
        const struct histogram *lag = &collection->logs[log].lag;
        for (size_t i = 0; lag->counts && i < HISTOGRAM_BUCKETS; i++)
            if (lag->counts[i] > 0)
                add_lag(receive, histogram_bucket_middle(i) / 1e3,
                        (double)lag->counts[i]);
    }
}

void plot_lag(struct figure *figure, struct plot_input *input)
{
    double send[LAG_BINS] = { 0 };
    double receive[LAG_BINS] = { 0 };
    struct figure_range range = FIGURE_RANGE_EMPTY;
    fill_lags(&input->runs[0].analysis.collection, send, receive);
    double sends = sum_of(send);
    double receives = sum_of(receive);
    if (sends + receives == 0) {
        figure_refuse(figure, "no lags in these logs");
        return;
    }
    figure_remark(figure, "Histograms of lags. Columns: from (us), to (us), share of "
                  "requests by send lag (sent - due),");
    figure_remark(figure, "share of token events by receive lag (app - arrival). The "
                  "first bin holds all below it.");
    figure_block(figure, "lags");
    for (size_t i = 0; i < LAG_BINS; i++) {
        double from_us = 0.1 * pow(10, (double)i / LAG_BINS_PER_DECADE);
        double to_us = 0.1 * pow(10, ((double)i + 1) / LAG_BINS_PER_DECADE);
        double row[] = { from_us, to_us, sends > 0 ? send[i] / sends : NAN,
                         receives > 0 ? receive[i] / receives : NAN };
        figure_row(figure, row, 4);
        if (send[i] + receive[i] > 0) {
            figure_range_add(&range, from_us, true);
            figure_range_add(&range, to_us, true);
        }
    }
    figure_panels(figure, 1, 1.6);
    figure_panel(figure, 0, 1, "lag (µs)", "share");
    figure_log_axis(figure, "x", range);
    figure_line(figure, "set yrange [0:*]");
    figure_line(figure, "plot 'lag.dat' index 0 using 1:3 with steps lt 1 "
                        "title 'send lag, "
                "requests', '' index 0 using 1:4 with steps lt 2 title 'receive lag, "
                "tokens'");
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

static void add_models(struct figure *figure, const struct queue_worker *worker,
                       struct figure_range *range)
{
    for (int i = 1; i <= CURVE_STEPS; i++) {
        double rho = i / (CURVE_STEPS + 1.0);
        double row[1 + QUEUE_MODELS] = { rho };
        struct queue_inputs inputs = worker->recorded.inputs;
        inputs.rate_per_s = rho / inputs.service_s;
        struct queue_predictions predictions = queue_predict(&inputs);
        for (int model = 0; model < QUEUE_MODELS; model++) {
            row[1 + model] = predictions.mean_s[model] * 1e6;
            figure_range_add(range, row[1 + model], true);
        }
        figure_row(figure, row, 1 + QUEUE_MODELS);
    }
}

static void queue_script(struct figure *figure, struct figure_range range)
{
    figure_panels(figure, 1, 1.8);
    figure->height_in += 0.3;
    figure_panel(figure, 0, 1, "utilisation", "mean wait (µs)");
    figure_line(figure, "set tmargin at screen %.4f", 1 - 0.64 / figure->height_in);
    figure_line(figure, "set key maxcols 2 samplen 2");
    figure_line(figure, "set xrange [0:1]");
    figure_log_axis(figure, "y", range);
    buffer_append_text(&figure->script, "plot ");
    for (int model = 0; model < QUEUE_MODELS; model++)
        if (model != MODEL_KINGMAN)
            buffer_printf(&figure->script, "'queue.dat' index 1 using 1:%d with lines lt "
                          "%d title '%s', ", model + 2, model + 1,
                          queue_model_names[model]);
    figure_line(figure, "'queue.dat' index 0 using 1:2:3:4 "
                        "with yerrorbars lt 7 dt 1 pt 7 "
                "title 'measured'");
}

void plot_queue(struct figure *figure, struct plot_input *input)
{
    struct figure_range range = FIGURE_RANGE_EMPTY;
    const struct queue *queue = plot_run_queue(&input->runs[0], figure);
    const struct queue_worker *worker = queue ? busiest(queue) : NULL;
    if (!worker) {
        if (queue)
            figure_refuse(figure, "no worker has enough events");
        return;
    }
    figure_remark(figure, "First block, a worker a line: utilisation, mean wait, its "
                  "interval at 95 %% from, to (us).");
    figure_remark(figure, "Second: utilisation, then mean waits (us) of the models for "
                  "worker %u's services:", worker->worker);
    for (int model = 0; model < QUEUE_MODELS; model++)
        figure_remark(figure, "  column %d: %s", model + 2, queue_model_names[model]);
    figure_block(figure, "measured");
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
        figure_range_add(&range, row[1], true);
    }
    figure_block(figure, "models");
    add_models(figure, worker, &range);
    queue_script(figure, range);
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

void plot_service(struct figure *figure, struct plot_input *input)
{
    const struct queue *queue = plot_run_queue(&input->runs[0], figure);
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
    figure_remark(figure, "Services of worker %u against the law with the lowest AIC. "
                  "Columns: quantile of the law (us),", worker->worker);
    figure_remark(figure, "of the services (us), p.");
    figure_block(figure, "%s", service_law_names[law->kind]);
    for (int i = 0; count > 0 && i < QQ_POINTS; i++) {
        double p = (i + 0.5) / QQ_POINTS;
        double row[] = { law_quantile(law, p) * 1e6,
                         quantile_of_sorted(services, count, p) * 1e6, p };
        figure_row(figure, row, 3);
        figure_range_add(&range, row[0], true);
        figure_range_add(&range, row[1], true);
    }
    free(services);
    figure_panels(figure, 1, 1.8);
    char label[64];
    snprintf(label, sizeof label, "fitted %s law (µs)", service_law_names[law->kind]);
    figure_panel(figure, 0, 1, label, "service (µs)");
    figure_log_axis(figure, "x", range);
    figure_log_axis(figure, "y", range);
    figure_line(figure, "plot 'service.dat' index 0 using 1:2 with points lt 1 title "
                "'quantiles of the services', x with lines lt 7 dt 2 title 'equal'");
}
