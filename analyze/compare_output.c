#include "analyze/compare_output.h"

#include <math.h>

#include "analyze/json_values.h"
#include "analyze/short_text.h"
#include "analyze/text_table.h"

static const char *method_text(const struct comparison *comparison)
{
    if (comparison->repetitions)
        return "variance between runs";
    return comparison->paired ? "requests paired by row" : "requests not paired";
}

static void print_side(FILE *out, const char *name, struct compare_side side)
{
    fprintf(out, "%s: ", name);
    for (size_t i = 0; i < side.count; i++) {
        const struct load *load = &side.runs[i].load;
        fputs(i > 0 ? ", " : "", out);
        print_outside_text(out, load->run_count > 0 ? load->runs[0].path
                                                    : load->logs[0].path);
        fprintf(out, " (%s planned, %s)",
                count_text(side.runs[i].summary.requests.planned).text,
                side.runs[i].summary.verdict.valid ? "believable" : "NOT BELIEVABLE");
    }
    fputc('\n', out);
}

static void add_ratio(struct text_table *table, const struct contrast *contrast)
{
    if (isnan(contrast->ratio))
        text_table_add(table, "-");
    else
        text_table_add(table, "%.4f", contrast->ratio);
    if (contrast->ratio95.known)
        text_table_add(table, "%.4f to %.4f", contrast->ratio95.low,
                       contrast->ratio95.high);
    else
        text_table_add(table, "-");
}

static void add_metric(struct text_table *table, const struct metric_comparison *metric)
{
    for (size_t i = 0; i < CONTRASTS; i++) {
        const struct contrast *contrast = &metric->contrasts[i];
        struct time_unit unit = time_unit_for(contrast->a);
        text_table_add(table, "%s %s", metric->name, contrast_names[i]);
        text_table_add(table, "%s", unit.name);
        text_table_add(table, "%s", time_text(contrast->a, unit).text);
        text_table_add(table, "%s", time_text(contrast->b, unit).text);
        text_table_add(table, "%s", time_text(contrast->difference, unit).text);
        add_ratio(table, contrast);
        text_table_add(table, "%s", comparison_verdict_names[metric->each[i]]);
    }
}

static void print_verdicts(FILE *out, const struct comparison *comparison)
{
    for (size_t i = 0; i < COMPARE_METRICS; i++) {
        const struct metric_comparison *metric = &comparison->metrics[i];
        fprintf(out, "  %-13s %s", metric->name,
                comparison_verdict_names[metric->verdict]);
        fprintf(out, metric->reason ? ": %s\n" : "\n", metric->reason);
    }
    const struct interval *difference = &comparison->failed_difference;
    fprintf(out, "  %-13s %s: %s and %s", "failures",
            comparison_verdict_names[comparison->failed_verdict],
            percent_text(comparison->a_failed_share).text,
            percent_text(comparison->b_failed_share).text);
    if (difference->known)
        fprintf(out, " (difference, 95 %%: %+.2f to %+.2f points)", difference->low * 100,
                difference->high * 100);
    fputc('\n', out);
}

static void print_rates(FILE *out, const char *name, struct compare_side side)
{
    for (size_t i = 0; i < side.count; i++) {
        const struct timeline *timeline = &side.runs[i].summary.timeline;
        fprintf(out, "  %s  planned %s, completed %s, output tokens %s\n", name,
                rate_text(timeline->planned_per_s).text,
                rate_text(timeline->completed_per_s).text,
                rate_text(timeline->output_per_s).text);
    }
}

void compare_print(FILE *out, const struct comparison *comparison, struct compare_side a,
                   struct compare_side b)
{
    static const char *const heads[] = {
        "", "", "A", "B", "B - A", "B / A", "95 % interval", "", NULL,
    };
    print_side(out, "A", a);
    print_side(out, "B", b);
    fprintf(out, "%s, %s\n\nIs B better than A?\n",
            !comparison->same_plan    ? "Different plans"
            : comparison->repetitions ? "The same plans"
                                      : "The same plan",
            method_text(comparison));
    print_verdicts(out, comparison);

    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t i = 0; i < COMPARE_METRICS; i++)
        add_metric(&table, &comparison->metrics[i]);
    fputc('\n', out);
    text_table_print(&table, out);
    text_table_release(&table);
    fputc('\n', out);
    print_rates(out, "A", a);
    print_rates(out, "B", b);
    if (!comparison->repetitions)
        fprintf(out, "\nOne run on each side: what is shown held during these two runs. "
                     "Whether it\nwould come again, only repetitions tell "
                     "(A1,A2,A3 B1,B2,B3).\n");
}

static json_t *contrast_json(const struct contrast *contrast,
                             enum comparison_verdict verdict)
{
    json_t *object = json_object();
    json_set_number(object, "a_s", contrast->a);
    json_set_number(object, "b_s", contrast->b);
    json_set_number(object, "difference_s", contrast->difference);
    json_object_set_new(object, "difference_interval95_s",
                        interval_json(&contrast->difference95));
    json_set_number(object, "ratio", contrast->ratio);
    json_object_set_new(object, "ratio_interval95", interval_json(&contrast->ratio95));
    json_set_text(object, "verdict", comparison_verdict_names[verdict]);
    return object;
}

static json_t *metric_json(const struct metric_comparison *metric)
{
    json_t *object = json_object();
    json_set_text(object, "verdict", comparison_verdict_names[metric->verdict]);
    json_set_text(object, "reason", metric->reason);
    json_set_count(object, "a_count", metric->a_count);
    json_set_count(object, "b_count", metric->b_count);
    for (size_t i = 0; i < CONTRASTS; i++)
        json_object_set_new(object, contrast_names[i],
                            contrast_json(&metric->contrasts[i], metric->each[i]));
    return object;
}

static json_t *run_json(const struct analysis *run)
{
    const struct timeline *timeline = &run->summary.timeline;
    json_t *object = json_object();
    json_set_text(object, "path", run->load.run_count > 0 ? run->load.runs[0].path
                                                          : run->load.logs[0].path);
    json_object_set_new(object, "believable", json_boolean(run->summary.verdict.valid));
    json_set_count(object, "planned", run->summary.requests.planned);
    json_set_count(object, "succeeded", run->summary.requests.succeeded);
    json_set_number(object, "planned_per_s", timeline->planned_per_s);
    json_set_number(object, "completed_per_s", timeline->completed_per_s);
    json_set_number(object, "output_tokens_per_s", timeline->output_per_s);
    return object;
}

static json_t *side_json(struct compare_side side)
{
    json_t *array = json_array();
    for (size_t i = 0; i < side.count; i++)
        json_array_append_new(array, run_json(&side.runs[i]));
    return array;
}

json_t *compare_json(const struct comparison *comparison, struct compare_side a,
                     struct compare_side b)
{
    json_t *document = json_object();
    json_t *metrics = json_object();
    json_t *failed = json_object();
    for (size_t i = 0; i < COMPARE_METRICS; i++)
        json_object_set_new(metrics, comparison->metrics[i].name,
                            metric_json(&comparison->metrics[i]));
    json_set_number(failed, "a", comparison->a_failed_share);
    json_set_number(failed, "b", comparison->b_failed_share);
    json_object_set_new(failed, "difference_interval95",
                        interval_json(&comparison->failed_difference));
    json_set_text(failed, "verdict",
                  comparison_verdict_names[comparison->failed_verdict]);

    json_object_set_new(document, "schema", json_string("tokanalyze.compare/1"));
    json_object_set_new(document, "a", side_json(a));
    json_object_set_new(document, "b", side_json(b));
    json_object_set_new(document, "same_plan", json_boolean(comparison->same_plan));
    json_object_set_new(document, "paired", json_boolean(comparison->paired));
    json_object_set_new(document, "repetitions", json_boolean(comparison->repetitions));
    json_object_set_new(document, "metrics", metrics);
    json_object_set_new(document, "failed_share", failed);
    return document;
}
