#include "formats/base/json.h"
#include "replay/plan_stats.h"

static void set_count(json_t *object, const char *key, uint64_t count)
{
    json_object_set_new(object, key, json_integer((json_int_t)count));
}

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_number_or_null(value));
}

static void set_flag(json_t *object, const char *key, bool value)
{
    json_object_set_new(object, key, json_boolean(value));
}

static json_t *report_json(const struct request_report *report)
{
    json_t *object = json_object();
    json_t *refused = json_object();
    for (int i = 0; i < REFUSALS; i++)
        set_count(refused, request_refusal_name((enum request_refusal)i),
                  report->refused[i]);
    set_count(object, "read", report->read);
    set_count(object, "accepted", report->accepted);
    json_object_set_new(object, "refused", refused);
    set_count(object, "raised", report->raised);
    set_count(object, "unsorted", report->unsorted);
    set_count(object, "equal_times", report->equal_times);
    set_flag(object, "lengths_estimated", report->lengths_estimated);
    return object;
}

static json_t *test_json(const struct plan_gap_test *test)
{
    if (test->law == NULL)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "law", json_string(test->law));
    set_flag(object, "mean_given", test->mean_given);
    set_number(object, "statistic", test->statistic);
    set_number(object, "p_value", test->p_value);
    set_flag(object, "rejected_at_5_percent", test->p_value < 0.05);
    return object;
}

static json_t *lengths_json(const struct plan_lengths *lengths)
{
    json_t *object = json_object();
    set_number(object, "sum", lengths->sum);
    set_number(object, "mean", lengths->mean);
    set_number(object, "p50", lengths->p50);
    set_number(object, "p99", lengths->p99);
    set_number(object, "max", lengths->max);
    return object;
}

static json_t *gaps_json(const struct plan_stats *stats)
{
    json_t *object = json_object();
    set_number(object, "cv", stats->gap_cv);
    set_number(object, "lag_1_correlation", stats->gap_correlation);
    set_number(object, "dispersion_0_1_s", stats->dispersion[0]);
    set_number(object, "dispersion_1_s", stats->dispersion[1]);
    set_number(object, "dispersion_10_s", stats->dispersion[2]);
    set_number(object, "windows_10_s_rejecting", stats->windows_rejecting);
    json_object_set_new(object, "anderson_darling", test_json(&stats->test));
    return object;
}

static json_t *prefixes_json(const struct plan_stats *stats)
{
    json_t *object = json_object();
    set_count(object, "blocks", stats->blocks);
    set_count(object, "distinct", stats->distinct_blocks);
    set_number(object, "shared_input_fraction", stats->shared_tokens / stats->input.sum);
    return object;
}

static json_t *notes_json(const struct plan *plan)
{
    json_t *notes = json_array();
    const char *at = plan->notes.data;
    const char *end = at + plan->notes.len;
    for (size_t len; plan->notes.len > 0 && at < end; at += len + 1) {
        for (len = 0; at[len] != '\n';)
            len++;
        json_array_append_new(notes, json_stringn(at, len));
    }
    return notes;
}

json_t *plan_stats_json(const struct plan_stats *stats, const struct plan *plan)
{
    json_t *object = json_object();
    json_object_set_new(object, "schema", json_string("tokreplay.plan/1"));
    json_object_set_new(object, "plan_hash", json_string(plan->hash));
    set_count(object, "seed", plan->seed);
    json_object_set_new(object, "trace", report_json(&plan->report));
    set_count(object, "requests", stats->count);
    set_count(object, "sessions", stats->sessions);
    set_count(object, "turns_due_by_an_answer", stats->waiting_turns);
    set_number(object, "span_s", stats->span_s);
    set_number(object, "mean_rate_per_s", stats->mean_per_s);
    set_number(object, "peak_in_1_s", stats->peak_per_s);
    set_count(object, "equal_times", stats->equal_times);
    json_object_set_new(object, "gaps", gaps_json(stats));
    json_object_set_new(object, "input_tokens", lengths_json(&stats->input));
    json_object_set_new(object, "output_tokens", lengths_json(&stats->output));
    set_count(object, "clipped_inputs", plan->clipped_input);
    set_count(object, "clipped_outputs", plan->clipped_output);
    json_object_set_new(object, "prefixes", prefixes_json(stats));
    json_object_set_new(object, "notes", notes_json(plan));
    return object;
}
