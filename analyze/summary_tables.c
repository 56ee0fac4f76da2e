#include <stdbool.h>

#include "analyze/distribution_table.h"
#include "analyze/short_text.h"
#include "analyze/summary_output.h"
#include "analyze/text_table.h"

enum { LATENCY_ROWS = REQUEST_METRICS + 2 };

static const char *const row_names[LATENCY_ROWS] = {
    "TTFT", "TTFT-content", "TPOT", "NTPOT", "E2E", "ITL", "ITL per token",
};

static const struct distribution *row_of(const struct latencies *latencies, size_t row)
{
    if (row < REQUEST_METRICS)
        return &latencies->metrics[row];
    return row == REQUEST_METRICS ? &latencies->itl : &latencies->itl_token;
}

/* Rows that say something: per-token gaps only where events brought several tokens,
 * content only where it is not all that came. */
static bool row_is_news(const struct latencies *latencies, size_t row)
{
    const struct distribution *mine = row_of(latencies, row);
    const struct distribution *other = &latencies->itl;
    if (row == METRIC_TTFT_CONTENT)
        other = &latencies->metrics[METRIC_TTFT];
    else if (row != LATENCY_ROWS - 1)
        return true;
    return mine->count != other->count || mine->mean != other->mean;
}

static void show_main(struct sheet *sheet, const struct latencies *latencies)
{
    struct text_table table = { 0 };
    distribution_table_start(&table);
    for (size_t row = 0; row < LATENCY_ROWS; row++)
        if (row_is_news(latencies, row))
            distribution_table_add(&table, row_names[row], row_of(latencies, row));
    sheet_title(sheet, "Latency of the requests that succeeded, from sent to arrival at "
                       "this host");
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_intervals(struct sheet *sheet, const struct latencies *latencies)
{
    static const char *const heads[] = { "", "", "p50", "p90", "p95", "p99", NULL };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t row = 0; row < LATENCY_ROWS; row++) {
        const struct distribution *distribution = row_of(latencies, row);
        struct time_unit unit = distribution_unit(distribution);
        if (!row_is_news(latencies, row))
            continue;
        text_table_add(&table, "%s", row_names[row]);
        text_table_add(&table, "%s", unit.name);
        for (size_t i = 0; i < DISTRIBUTION_HEADLINES; i++) {
            const struct interval *interval = &distribution->headline[i];
            if (interval->known)
                text_table_add(&table, "%s to %s", time_text(interval->low, unit).text,
                               time_text(interval->high, unit).text);
            else
                text_table_add(&table, "-");
        }
    }
    sheet_title(sheet, "95 %% intervals of the above (-: too few requests for one)");
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_flavours(struct sheet *sheet, const struct latencies *flavours)
{
    static const char *const heads[] = {
        "", "", "arrival p50", "p99", "client p50", "p99", "since due p50", "p99", NULL,
    };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t row = 0; row < LATENCY_ROWS; row++) {
        struct time_unit unit = distribution_unit(row_of(&flavours[BY_ARRIVAL], row));
        if (!row_is_news(&flavours[BY_ARRIVAL], row))
            continue;
        text_table_add(&table, "%s", row_names[row]);
        text_table_add(&table, "%s", unit.name);
        for (int flavour = 0; flavour < FLAVOURS; flavour++) {
            const struct distribution *distribution = row_of(&flavours[flavour], row);
            double p50 = distribution_headline(distribution, HEADLINE_P50);
            double p99 = distribution_headline(distribution, HEADLINE_P99);
            text_table_add(&table, "%s", time_text(p50, unit).text);
            text_table_add(&table, "%s", time_text(p99, unit).text);
        }
    }
    sheet_title(sheet, "As an ordinary client would have seen it, and since each request "
                       "was due");
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_client(struct sheet *sheet, const struct client_times *client)
{
    struct text_table table = { 0 };
    distribution_table_start(&table);
    distribution_table_add(&table, "send lag", &client->send_lag);
    distribution_table_add(&table, "receive lag", &client->receive_lag);
    distribution_table_add(&table, "of last token", &client->receive_lag_last);
    distribution_table_add(&table, "connect", &client->connect);
    sheet_title(sheet,
                "The client's share: sent after due, tokens in hand after arrival");
    sheet_table(sheet, &table);
    text_table_release(&table);
    if (client->identity_violations > 0)
        sheet_line(sheet, "%s of %s requests do not add up to the nanosecond",
                   count_text(client->identity_violations).text,
                   count_text(client->identity_checked).text);
}

void summary_show_latencies(struct sheet *sheet, const struct summary *summary)
{
    if (summary->requests.succeeded > 0) {
        show_main(sheet, &summary->latency[BY_ARRIVAL]);
        show_intervals(sheet, &summary->latency[BY_ARRIVAL]);
        show_flavours(sheet, summary->latency);
    }
    show_client(sheet, &summary->client);
}

static void add_estimate(struct sheet *sheet, const char *name, double value_s,
                         const struct interval *interval, const char *per)
{
    struct time_unit unit = time_unit_for(value_s);
    if (!interval->known) {
        sheet_fact(sheet, name, "%s %s per %s", time_text(value_s, unit).text, unit.name,
                   per);
        return;
    }
    sheet_fact(sheet, name, "%s %s per %s (95 %%: %s to %s%s)",
               time_text(value_s, unit).text, unit.name, per,
               time_text(interval->low, unit).text, time_text(interval->high, unit).text,
               interval->low <= 0 ? "; not told from 0" : "");
}

static void add_aggregate(struct sheet *sheet, const struct ntpot_parts *parts)
{
    struct time_unit unit = time_unit_for(parts->ntpot_s);
    sheet_line(sheet, "sum E2E / sum N = %s %s = queue %s + prefill %s + decode %s",
               time_text(parts->ntpot_s, unit).text, unit.name,
               time_text(parts->queue_per_output_s, unit).text,
               time_text(parts->prefill_per_output_s, unit).text,
               time_text(parts->decode_per_output_s, unit).text);
}

void summary_show_parts(struct sheet *sheet, const struct ntpot_parts *parts)
{
    static const char *const heads[] = {
        "each request", "", "p50", "p90", "p95", "p99", "max", "mean", "count",
        "excluded", NULL,
    };
    if (parts->queue_and_prefill.count == 0)
        return;
    sheet_title(sheet, "Where NTPOT comes from");
    if (!parts->prefill.reason)
        add_aggregate(sheet, parts);
    add_estimate(sheet, "decode", parts->decode_s, &parts->decode_interval,
                 "output token");
    if (parts->prefill.reason)
        sheet_fact(sheet, "prefill", "not identifiable: %s", parts->prefill.reason);
    else
        add_estimate(sheet, "prefill", parts->prefill.slope,
                     &parts->prefill.slope_interval, "uncached input token");
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    if (parts->prefill.reason)
        distribution_table_add(&table, "queue + prefill", &parts->queue_and_prefill);
    else
        distribution_table_add(&table, "queue", &parts->queue);
    sheet_table(sheet, &table);
    text_table_release(&table);
}

void summary_show_workers(struct sheet *sheet, const struct summary *summary)
{
    static const char *const heads[] = {
        "worker", "sent", "succeeded", "TTFT p50", "p99", "TPOT p50", "send lag p99",
        "receive lag p50", "p99", "busy", "peak", NULL,
    };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t i = 0; i < summary->worker_count; i++) {
        const struct worker_summary *worker = &summary->workers[i];
        const double seconds[] = {
            distribution_headline(&worker->ttft, HEADLINE_P50),
            distribution_headline(&worker->ttft, HEADLINE_P99),
            distribution_headline(&worker->tpot, HEADLINE_P50),
            distribution_headline(&worker->send_lag, HEADLINE_P99),
            distribution_headline(&worker->receive_lag, HEADLINE_P50),
            distribution_headline(&worker->receive_lag, HEADLINE_P99),
        };
        text_table_add(&table, "%u", worker->worker);
        text_table_add(&table, "%s", count_text(worker->sent).text);
        text_table_add(&table, "%s", count_text(worker->succeeded).text);
        for (size_t j = 0; j < sizeof seconds / sizeof seconds[0]; j++)
            text_table_add(&table, "%s", duration_text(seconds[j]).text);
        text_table_add(&table, "%s", percent_text(worker->utilisation).text);
        text_table_add(&table, "%s", percent_text(worker->utilisation_peak).text);
    }
    sheet_title(sheet, "By worker");
    sheet_table(sheet, &table);
    text_table_release(&table);
}
