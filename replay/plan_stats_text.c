#include <inttypes.h>
#include <math.h>

#include "formats/base/units.h"
#include "replay/plan_stats.h"

static void print_count(FILE *out, const char *label, uint64_t count)
{
    char text[UNITS_TEXT_MAX];
    fprintf(out, "  %-28s %14s\n", label, units_format_count(text, (int64_t)count));
}

static void print_number(FILE *out, const char *label, const char *format, double value)
{
    char text[UNITS_TEXT_MAX] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    fprintf(out, "  %-28s %14s\n", label, text);
}

static void print_report(const struct request_report *report, FILE *out)
{
    if (report->read == 0)
        return;
    fprintf(out, "Trace\n");
    print_count(out, "rows read", report->read);
    print_count(out, "accepted", report->accepted);
    for (int i = 0; i < REFUSALS; i++) {
        char label[32];
        snprintf(label, sizeof label, "refused: %s",
                 request_refusal_name((enum request_refusal)i));
        if (report->refused[i] > 0)
            print_count(out, label, report->refused[i]);
    }
    if (report->raised > 0)
        print_count(out, "0 output tokens made 1", report->raised);
    print_count(out, "unsorted", report->unsorted);
    print_count(out, "equal times", report->equal_times);
    fprintf(out, "\n");
}

/* Values of a table go no further than its ends. */
static const char *p_relation(const struct plan_gap_test *test)
{
    if (test->mean_given)
        return "=";
    return test->p_value <= 0.01 ? "<=" : test->p_value >= 0.15 ? ">=" : "=";
}

static void print_times(const struct plan_stats *stats, FILE *out)
{
    if (stats->waiting_turns > 0)
        print_count(out, "turns due by an answer", stats->waiting_turns);
    print_number(out, "span (s)", "%.3f", stats->span_s);
    print_number(out, "mean rate (/s)", "%.4g", stats->mean_per_s);
    print_number(out, "most in 1 s", "%.0f", stats->peak_per_s);
    print_count(out, "equal times", stats->equal_times);
    print_number(out, "CV of gaps", "%.4g", stats->gap_cv);
    print_number(out, "correlation of gaps", "%.4f", stats->gap_correlation);
    for (int i = 0; i < DISPERSION_WINDOWS; i++) {
        char label[40];
        snprintf(label, sizeof label, "dispersion over %g s", dispersion_window_s[i]);
        print_number(out, label, "%.4g", stats->dispersion[i]);
    }
    print_number(out, "10-s windows not Poisson (%)", "%.0f",
                 100 * stats->windows_rejecting);
    if (stats->test.law == NULL)
        return;
    print_number(out, "Anderson-Darling A2", "%.4g", stats->test.statistic);
    fprintf(out, "  gaps are %s (%s mean): %s at 5 %% (p %s %.2g)\n", stats->test.law,
            stats->test.mean_given ? "given" : "estimated",
            stats->test.p_value < 0.05 ? "rejected" : "not rejected",
            p_relation(&stats->test), stats->test.p_value);
}

static void print_lengths(FILE *out, const char *label,
                          const struct plan_lengths *lengths)
{
    fprintf(out, "  %-8s %12.1f %10.1f %10.1f %10.0f %14.0f\n", label, lengths->mean,
            lengths->p50, lengths->p99, lengths->max, lengths->sum);
}

void plan_stats_print(const struct plan_stats *stats, const struct plan *plan, FILE *out)
{
    print_report(&plan->report, out);
    fprintf(out, "Plan %s\n", plan->hash);
    print_count(out, "requests", stats->count);
    if (stats->sessions > 0)
        print_count(out, "sessions", stats->sessions);
    if (plan->has_times)
        print_times(stats, out);
    fprintf(out, "\n  %-8s %12s %10s %10s %10s %14s\n", "tokens", "mean", "p50", "p99",
            "max", "sum");
    print_lengths(out, "input", &stats->input);
    print_lengths(out, "output", &stats->output);
    if (plan->clipped_input + plan->clipped_output > 0)
        fprintf(out, "  shortened: %" PRIu64 " prompts, %" PRIu64 " answers\n",
                plan->clipped_input, plan->clipped_output);
    if (stats->blocks > 0)
        fprintf(out,
                "\n  prefix blocks %" PRIu64 ", distinct %" PRIu64
                "; %.1f %% of input tokens shared with earlier requests\n",
                stats->blocks, stats->distinct_blocks,
                100 * stats->shared_tokens / stats->input.sum);
    if (plan->notes.len > 0)
        fprintf(out, "\nNotes\n%.*s", (int)plan->notes.len, plan->notes.data);
}
