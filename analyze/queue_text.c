#include <math.h>

#include "analyze/lindley.h"
#include "analyze/queue_output.h"
#include "analyze/short_text.h"
#include "analyze/text_table.h"
#include "formats/base/clock.h"

static void show_sentences(struct sheet *sheet, const struct queue *queue)
{
    for (size_t i = 0; i < queue->worker_count; i++) {
        struct buffer text = BUFFER_INIT;
        queue_sentence(&text, queue, &queue->workers[i]);
        sheet_sentence(sheet, "Worker %u: %s.", queue->workers[i].worker,
                       buffer_text(&text));
        buffer_release(&text);
    }
}

/* What was left out or is not exact. */
static void show_cautions(struct sheet *sheet, const struct queue *queue)
{
    const struct queue_data *data = queue->data;
    uint64_t no_arrival = 0;
    uint64_t no_app = 0;
    uint64_t shared = 0;
    uint64_t events = 0;
    for (size_t i = 0; i < data->log_count; i++) {
        no_arrival += data->logs[i].no_arrival;
        no_app += data->logs[i].no_app;
        shared += data->logs[i].shared_reads;
        events += data->logs[i].events;
    }
    if (queue->outside > 0)
        sheet_line(sheet, "%s events lie outside the window",
                   count_text(queue->outside).text);
    if (no_arrival > 0)
        sheet_line(sheet, "%s events have no known arrival and are left out",
                   count_text(no_arrival).text);
    if (no_app > 0)
        sheet_line(sheet, "%s events never reached the client and are left out",
                   count_text(no_app).text);
    if (shared > 0 && queue->served && !data->packets.used)
        sheet_line(sheet,
                   "%s of %s events shared a read: the kernel keeps the stamp of the "
                   "newest packet, so waits of such events read too small; packets "
                   "(--wire) have no such limit",
                   count_text(shared).text, count_text(events).text);
    if (data->packets.used)
        sheet_line(sheet,
                   "arrivals by packets for %s requests, by kernel stamps for %s; the "
                   "capture dropped %s packets",
                   count_text(data->packets.found).text,
                   count_text(data->packets.missing).text,
                   count_text(data->packets.dropped).text);
    if (data->client_resource > 0)
        sheet_line(
            sheet,
            "%s requests failed because the client was out of descriptors or ports",
            count_text(data->client_resource).text);
}

static void show_clock_faults(struct sheet *sheet, const struct queue *queue)
{
    for (size_t i = 0; i < queue->worker_count; i++) {
        const struct queue_worker *worker = &queue->workers[i];
        if (worker->service.negative > 0)
            sheet_line(sheet,
                       "CLOCK FAULT: %s services of worker %u below 0, down to %s; not "
                       "in the moments, 0 in Lindley",
                       count_text(worker->service.negative).text, worker->worker,
                       duration_text((double)worker->service.least_ns / NS_PER_S).text);
    }
}

static void add_time(struct text_table *table, double seconds)
{
    text_table_add(table, "%s", isfinite(seconds) ? duration_text(seconds).text : "-");
}

static void show_whole(struct sheet *sheet, const struct queue *queue)
{
    static const char *const heads[] = { "mean wait over all workers", "", "/ observed",
                                         NULL };
    const struct queue_whole *whole = &queue->whole;
    if (!isfinite(whole->rho)) {
        sheet_title(sheet, "All workers: %s events in %s, %s",
                    count_text(whole->events).text, duration_text(whole->span_s).text,
                    rate_text(whole->rate_per_s.value).text);
        return;
    }
    sheet_title(sheet,
                "All workers: %s events in %s, %s; ρ %.3g on average, %.3g at most",
                count_text(whole->events).text, duration_text(whole->span_s).text,
                rate_text(whole->rate_per_s.value).text, whole->rho, whole->rho_max);
    struct text_table table = { 0 };
    double seen_s = queue->supposed ? whole->lindley_s : whole->observed.mean.value;
    text_table_start(&table, heads);
    for (int row = -1; row < QUEUE_MODELS + 2; row++) {
        double mean_s = row < 0               ? whole->observed.mean.value
                        : row < QUEUE_MODELS  ? whole->mean_s[row]
                        : row == QUEUE_MODELS ? whole->lindley_s
                                              : whole->lindley_setup_s;
        if (row < 0 && queue->supposed)
            continue;
        text_table_add(&table, "%s", row < 0               ? "observed"
                                     : row < QUEUE_MODELS  ? queue_model_names[row]
                                     : row == QUEUE_MODELS ? "Lindley, recorded arrivals"
                                                           : "Lindley + set-up");
        add_time(&table, mean_s);
        text_table_add(&table, "%s", number_text(mean_s / seen_s).text);
    }
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_enough(struct sheet *sheet, const struct queue *queue)
{
    if (!isfinite(queue->budget_s)) {
        sheet_line(sheet, "No budget: no median TPOT to take 1 %% of (--budget)");
        return;
    }
    if (queue->enough_workers > 0)
        sheet_line(sheet, "%u worker%s keep%s the p99 wait within %s",
                   queue->enough_workers, queue->enough_workers == 1 ? "" : "s",
                   queue->enough_workers == 1 ? "s" : "",
                   duration_text(queue->budget_s).text);
    else
        sheet_line(sheet, "No number of workers up to %d keeps the p99 wait within %s",
                   QUEUE_ENOUGH_MAX, duration_text(queue->budget_s).text);
}

static void show_what_ifs(struct sheet *sheet, const struct queue *queue)
{
    static const char *const heads[] = { "workers", "ρ", "mean", "p50", "p90", "p99",
                                         NULL };
    if (queue->what_if_count == 0 && queue->enough_workers == 0)
        return;
    struct buffer title = BUFFER_INIT;
    buffer_append_text(&title, "The same arrivals over other numbers of workers");
    if (queue->what_if_service_ns != LINDLEY_RECORDED)
        buffer_printf(&title, ", each event served in %s",
                      duration_text((double)queue->what_if_service_ns / 1e9).text);
    if (isfinite(queue->what_if_setup_s))
        buffer_printf(&title, ", set-up %s", duration_text(queue->what_if_setup_s).text);
    sheet_title(sheet, "%s", buffer_text(&title));
    buffer_release(&title);
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t i = 0; i < queue->what_if_count; i++) {
        const struct queue_what_if *what_if = &queue->what_ifs[i];
        text_table_add(&table, "%u", what_if->workers);
        text_table_add(&table, "%s", number_text(what_if->rho).text);
        add_time(&table, what_if->waits.mean.value);
        for (size_t p = 0; p < WAIT_PERCENTILES; p++)
            add_time(&table, what_if->waits.percentiles[p].value);
    }
    sheet_table(sheet, &table);
    text_table_release(&table);
    show_enough(sheet, queue);
}

void queue_show(struct sheet *sheet, const struct queue *queue,
                const struct queue_text_options *options)
{
    show_sentences(sheet, queue);
    show_cautions(sheet, queue);
    show_clock_faults(sheet, queue);
    if (queue->worker_count > 1)
        show_whole(sheet, queue);
    if (queue->worker_count == 1 || options->by_worker)
        for (size_t i = 0; i < queue->worker_count; i++)
            queue_show_worker(sheet, queue, &queue->workers[i]);
    show_what_ifs(sheet, queue);
}
