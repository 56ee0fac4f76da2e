/* What is printed of the assumptions that models make, and of a worker's capacity. */
#include <math.h>

#include "analyze/queue_output.h"
#include "analyze/short_text.h"
#include "analyze/text_table.h"
#include "formats/base/clock.h"

static void show_dispersion(struct sheet *sheet, const struct dispersion *dispersions)
{
    static const char *const heads[] = {
        "counts in windows of", "1 ms", "3 ms", "10 ms", "30 ms", "100 ms", "300 ms",
        "1 s", NULL,
    };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    text_table_add(&table, "variance / mean (1)");
    for (size_t i = 0; i < DISPERSION_WINDOWS; i++)
        text_table_add(&table, "%s", number_text(dispersions[i].index).text);
    text_table_add(&table, "p");
    for (size_t i = 0; i < DISPERSION_WINDOWS; i++)
        text_table_add(&table, "%s", number_text(dispersions[i].p_value).text);
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_arrivals(struct sheet *sheet, const struct arrival_tests *tests)
{
    sheet_gap(sheet);
    sheet_line(sheet, "Poisson arrivals? (in brackets: what such a process has)");
    sheet_line(
        sheet,
        "gaps: squared CV %s (1), 0 in %s of them, correlation of neighbours %s (0)",
        number_text(tests->squared_cv).text, percent_text(tests->zero_share).text,
        number_text(tests->lag1).text);
    if (tests->tested > 0)
        sheet_line(
            sheet, "exponential law: distance %s, A² = %s, p %s %s, over %s gaps",
            number_text(tests->distance).text, number_text(tests->anderson_darling).text,
            tests->anderson_p_value <= 0.01   ? "<="
            : tests->anderson_p_value >= 0.15 ? ">="
                                              : "=",
            number_text(tests->anderson_p_value).text, count_text(tests->tested).text);
    show_dispersion(sheet, tests->dispersion);
}

static void show_laws(struct sheet *sheet, const struct service_fit *fit)
{
    struct buffer others = BUFFER_INIT;
    sheet_line(sheet, "law: %s fits best: distance %s, p = %s by bootstrap over %s",
               service_law_names[fit->best], number_text(fit->distance).text,
               number_text(fit->gof_p_value).text, count_text(fit->gof_sample).text);
    for (unsigned kind = 0; kind < SERVICE_LAWS; kind++)
        if (kind != fit->best)
            buffer_printf(&others, " %s %s", service_law_names[kind],
                          number_text(fit->aic[kind] - fit->aic[fit->best]).text);
    sheet_line(sheet, "AIC above it:%s", buffer_text(&others));
    buffer_release(&others);
}

static void show_services(struct sheet *sheet, const struct service_fit *fit)
{
    sheet_gap(sheet);
    sheet_line(sheet,
               "Independent services? correlation of neighbours %s (0), with the wait "
               "before %s (0)",
               number_text(fit->lag1).text, number_text(fit->backlog_correlation).text);
    sheet_line(
        sheet,
        "mean %s after an idle loop, %s after a wait; %s came with the event before",
        duration_text(fit->idle_mean_s).text, duration_text(fit->waited_mean_s).text,
        percent_text(fit->zero_share).text);
    if (fit->fitted == 0) {
        sheet_line(sheet, "too few services for a law");
        return;
    }
    show_laws(sheet, fit);
    if (isfinite(fit->tail_index))
        sheet_line(sheet, "tail: index %s ± %s%s", number_text(fit->tail_index).text,
                   number_text(fit->tail_index_error).text,
                   fit->tail_index < 2   ? ", so E[S²] and M/G/1's mean may not exist"
                   : fit->tail_index < 3 ? ", so E[S³] may not exist"
                                         : "");
}

static void show_capacity(struct sheet *sheet, const struct queue_worker *worker)
{
    static const char *const heads[] = { "capacity, events at", "ρ = 0.5", "0.8", "1",
                                         NULL };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    text_table_add(&table, "by E[S]");
    for (size_t i = 0; i < QUEUE_CAPACITIES; i++)
        text_table_add(&table, "%s", rate_text(worker->capacity_per_s[i]).text);
    text_table_add(&table, "by the loop's busy share");
    for (size_t i = 0; i < QUEUE_CAPACITIES; i++)
        text_table_add(&table, "%s", rate_text(worker->busy_capacity_per_s[i]).text);
    sheet_gap(sheet);
    sheet_table(sheet, &table);
    text_table_release(&table);
}

void queue_show_assumptions(struct sheet *sheet, const struct queue *queue,
                            const struct queue_worker *worker)
{
    show_arrivals(sheet, &worker->arrivals);
    if (!queue->served)
        return;
    show_services(sheet, &worker->services);
    show_capacity(sheet, worker);
}
