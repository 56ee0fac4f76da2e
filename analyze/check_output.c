#include "analyze/check_output.h"

#include <math.h>

#include "analyze/json_values.h"
#include "analyze/short_text.h"
#include "analyze/summary_output.h"
#include "analyze/text_table.h"

static const char *met_text(const struct objective *objective)
{
    if (isnan(objective->value_s))
        return "MISSED: no value";
    if (!objective->interval.known)
        return objective->met ? "met" : "MISSED";
    if (objective->certain)
        return objective->met ? "met" : "MISSED";
    return objective->met ? "met, not for certain" : "MISSED, not for certain";
}

static void add_objective(struct text_table *table, const struct objective *objective)
{
    text_table_add(table, "%s", objective->term->text);
    text_table_add(table, "%s", duration_text(objective->value_s).text);
    if (objective->interval.known)
        text_table_add(table, "%s to %s", duration_text(objective->interval.low).text,
                       duration_text(objective->interval.high).text);
    else
        text_table_add(table, "-");
    text_table_add(table, "%s", count_text(objective->count).text);
    text_table_add(table, "%s", met_text(objective));
}

static void add_goodput(struct text_table *table, const struct check_result *result)
{
    const struct goodput *goodput = &result->summary->goodput;
    text_table_add(table, "goodput >= %s", percent_text(result->min_goodput).text);
    text_table_add(table, "%s", percent_text(goodput->share).text);
    text_table_add(table, "%s to %s", percent_text(goodput->share_interval.low).text,
                   percent_text(goodput->share_interval.high).text);
    text_table_add(table, "%s", count_text(result->summary->requests.planned).text);
    text_table_add(table, "%s", result->goodput_met ? "met" : "MISSED");
}

void check_print(FILE *out, const struct check_result *result)
{
    static const char *const heads[] = {
        "objective", "measured", "95 % interval", "values", "", NULL,
    };
    const struct verdict *verdict = &result->summary->verdict;
    struct text_table table = { 0 };
    fprintf(out, "%s\n", result->passed ? "Passed." : "FAILED.");
    text_table_start(&table, heads);
    for (size_t i = 0; i < result->count; i++)
        add_objective(&table, &result->objectives[i]);
    if (result->has_goodput)
        add_goodput(&table, result);
    if (result->count > 0 || result->has_goodput)
        text_table_print(&table, out);
    text_table_release(&table);
    if (verdict->valid)
        return;
    fprintf(out, "The run is not to be believed as it stands%s:\n",
            result->strict ? "" : " (which fails only with --strict)");
    for (size_t i = 0; i < verdict->count; i++)
        if (!verdict->checks[i].ok)
            fprintf(out, "  - %s\n", verdict->checks[i].text);
}

static json_t *objective_json(const struct objective *objective)
{
    json_t *object = json_object();
    json_set_text(object, "objective", objective->term->text);
    json_set_number(object, "value_s", objective->value_s);
    json_set_number(object, "limit_s", objective->term->limit_s);
    json_object_set_new(object, "interval95_s", interval_json(&objective->interval));
    json_set_count(object, "count", objective->count);
    json_object_set_new(object, "met", json_boolean(objective->met));
    json_object_set_new(object, "certain", json_boolean(objective->certain));
    return object;
}

json_t *check_json(const struct check_result *result)
{
    const struct goodput *goodput = &result->summary->goodput;
    json_t *document = json_object();
    json_t *objectives = json_array();
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(objectives, objective_json(&result->objectives[i]));
    json_object_set_new(document, "schema", json_string("tokanalyze.check/1"));
    json_object_set_new(document, "passed", json_boolean(result->passed));
    json_object_set_new(document, "objectives", objectives);
    if (result->has_goodput) {
        json_t *object = estimate_json(goodput->share, &goodput->share_interval);
        json_set_number(object, "limit", result->min_goodput);
        json_object_set_new(object, "met", json_boolean(result->goodput_met));
        json_object_set_new(document, "goodput_share", object);
    }
    json_object_set_new(document, "strict", json_boolean(result->strict));
    json_object_set_new(document, "verdict", verdict_json(&result->summary->verdict));
    return document;
}

static void print_xml_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fputc((unsigned char)*text < 0x20 ? '?' : *text, out);
    }
}

/* A test case; `problem` is NULL when it passed. */
static void print_case(FILE *out, const char *group, const char *name,
                       const char *problem)
{
    fprintf(out, "  <testcase classname=\"%s\" name=\"", group);
    print_xml_text(out, name);
    if (!problem) {
        fputs("\"/>\n", out);
        return;
    }
    fputs("\"><failure message=\"", out);
    print_xml_text(out, problem);
    fputs("\"/></testcase>\n", out);
}

static void print_objective_case(FILE *out, const struct objective *objective)
{
    char problem[160];
    snprintf(problem, sizeof problem, "%s: measured %s, 95 %% interval %s to %s",
             met_text(objective), duration_text(objective->value_s).text,
             duration_text(objective->interval.low).text,
             duration_text(objective->interval.high).text);
    print_case(out, "objective", objective->term->text, objective->met ? NULL : problem);
}

void check_print_junit(FILE *out, const struct check_result *result)
{
    const struct verdict *verdict = &result->summary->verdict;
    size_t tests = result->count + result->has_goodput;
    size_t failures = result->has_goodput && !result->goodput_met;
    for (size_t i = 0; i < result->count; i++)
        failures += !result->objectives[i].met;
    for (size_t i = 0; result->strict && i < verdict->count; i++) {
        tests++;
        failures += !verdict->checks[i].ok;
    }
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    fprintf(out, "<testsuite name=\"tokanalyze check\" tests=\"%zu\" failures=\"%zu\">\n",
            tests, failures);
    for (size_t i = 0; i < result->count; i++)
        print_objective_case(out, &result->objectives[i]);
    if (result->has_goodput)
        print_case(out, "objective", "goodput",
                   result->goodput_met ? NULL : "too few requests within the objectives");
    for (size_t i = 0; result->strict && i < verdict->count; i++) {
        const struct verdict_check *check = &verdict->checks[i];
        print_case(out, "verdict", check->name, check->ok ? NULL : check->text);
    }
    fprintf(out, "</testsuite>\n");
}
