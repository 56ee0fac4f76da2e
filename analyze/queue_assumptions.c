/* What is printed of the assumptions that models make, and of a worker's capacity. */
#include <math.h>

#include "analyze/queue_output.h"
#include "analyze/short_text.h"
#include "analyze/text_table.h"
#include "formats/base/clock.h"

static struct short_text plain_text(double number)
{
    struct short_text text = { "-" };
    if (isfinite(number))
        snprintf(text.text, sizeof text.text, "%.3g", number);
    return text;
}

static void print_dispersion(FILE *out, const struct dispersion *dispersions)
{
    static const char *const heads[] = {
        "counts in windows of", "1 ms", "3 ms", "10 ms", "30 ms", "100 ms", "300 ms",
        "1 s", NULL,
    };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    text_table_add(&table, "variance / mean (1)");
    for (size_t i = 0; i < DISPERSION_WINDOWS; i++)
        text_table_add(&table, "%s", plain_text(dispersions[i].index).text);
    text_table_add(&table, "p");
    for (size_t i = 0; i < DISPERSION_WINDOWS; i++)
        text_table_add(&table, "%s", plain_text(dispersions[i].p_value).text);
    text_table_print(&table, out);
    text_table_release(&table);
}

static void print_arrivals(FILE *out, const struct arrival_tests *tests)
{
    fprintf(out, "\n  Poisson arrivals? (in brackets: what such a process has)\n");
    fprintf(out, "  gaps: squared CV %s (1), 0 in %s of them, correlation of neighbours "
                 "%s (0)\n", plain_text(tests->squared_cv).text,
            percent_text(tests->zero_share).text, plain_text(tests->lag1).text);
    if (tests->tested > 0)
        fprintf(out, "  exponential law: distance %s, A² = %s, p %s %s, over %s gaps\n",
                plain_text(tests->distance).text,
                plain_text(tests->anderson_darling).text,
                tests->anderson_p_value <= 0.01   ? "<="
                : tests->anderson_p_value >= 0.15 ? ">="
                                                  : "=",
                plain_text(tests->anderson_p_value).text,
                count_text(tests->tested).text);
    print_dispersion(out, tests->dispersion);
}

static void print_laws(FILE *out, const struct service_fit *fit)
{
    fprintf(out, "  law: %s fits best: distance %s, p = %s by bootstrap over %s\n",
            service_law_names[fit->best], plain_text(fit->distance).text,
            plain_text(fit->gof_p_value).text, count_text(fit->gof_sample).text);
    fprintf(out, "  AIC above it:");
    for (unsigned kind = 0; kind < SERVICE_LAWS; kind++)
        if (kind != fit->best)
            fprintf(out, " %s %s", service_law_names[kind],
                    plain_text(fit->aic[kind] - fit->aic[fit->best]).text);
    fprintf(out, "\n");
}

static void print_services(FILE *out, const struct service_fit *fit)
{
    fprintf(out, "\n  Independent services? correlation of neighbours %s (0), with the "
                 "wait before %s (0)\n", plain_text(fit->lag1).text,
            plain_text(fit->backlog_correlation).text);
    fprintf(out, "  mean %s after an idle loop, %s after a wait; %s came with the event "
                 "before\n", duration_text(fit->idle_mean_s).text,
            duration_text(fit->waited_mean_s).text, percent_text(fit->zero_share).text);
    if (fit->fitted == 0) {
        fprintf(out, "  too few services for a law\n");
        return;
    }
    print_laws(out, fit);
    if (isfinite(fit->tail_index))
        fprintf(out, "  tail: index %s ± %s%s\n", plain_text(fit->tail_index).text,
                plain_text(fit->tail_index_error).text,
                fit->tail_index < 2   ? ", so E[S²] and M/G/1's mean may not exist"
                : fit->tail_index < 3 ? ", so E[S³] may not exist"
                                      : "");
}

static void print_capacity(FILE *out, const struct queue_worker *worker)
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
    fprintf(out, "\n");
    text_table_print(&table, out);
    text_table_release(&table);
}

void queue_print_assumptions(FILE *out, const struct queue *queue,
                             const struct queue_worker *worker)
{
    print_arrivals(out, &worker->arrivals);
    if (!queue->served)
        return;
    print_services(out, &worker->services);
    print_capacity(out, worker);
}
