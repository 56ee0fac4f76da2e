#include <math.h>

#include "analyze/json_values.h"
#include "analyze/latency_profile_output.h"

static void set_estimate(json_t *object, const char *key,
                         const struct stage_estimate *estimate)
{
    json_object_set_new(object, key, estimate_json(estimate->value, &estimate->interval));
}

static json_t *finding_json(const struct knee_finding *finding)
{
    json_t *object = json_object();
    json_set_text(object, "state", knee_state_names[finding->state]);
    json_set_number(object, "knee_per_s", finding->knee_per_s);
    json_object_set_new(object, "interval95", interval_json(&finding->interval));
    json_set_text(object, "reason", finding->why);
    return object;
}

static json_t *knee_json(const struct knee *knee)
{
    json_t *object = finding_json(&knee->together);
    json_t *rules = json_object();
    for (size_t i = 0; i < KNEE_RULES; i++)
        json_object_set_new(rules, knee_rule_names[i], finding_json(&knee->rules[i]));
    json_object_set_new(object, "rules", rules);
    json_set_number(object, "kneedle_per_s", knee->kneedle_per_s);
    json_object_set_new(object, "rules_disagree", json_boolean(knee->disagree));
    json_set_number(object, "highest_held_per_s",
                    knee->held_per_s > 0 ? knee->held_per_s : NAN);
    json_set_number(object, "lowest_saturated_per_s", knee->saturated_per_s);
    json_set_number(object, "lowest_failing_per_s", knee->failing_per_s);
    json_set_count(object, "usable_stages", knee->usable);
    return object;
}

static json_t *objective_json(const struct slo_term *term,
                              const struct load_objective *objective)
{
    bool share = objective->kind == OBJECTIVE_SHARE;
    json_t *object = json_object();
    json_set_text(object, "objective", term->text);
    json_set_number(object, share ? "share" : "value_s", objective->value);
    json_object_set_new(object, "interval95", interval_json(&objective->interval));
    json_set_number(object, share ? "asked_share" : "limit_s", objective->asked);
    json_object_set_new(object, "met", json_boolean(objective->met));
    json_object_set_new(object, "certain", json_boolean(objective->certain));
    return object;
}

static json_t *latencies_json(const struct latencies *latencies)
{
    json_t *object = json_object();
    for (size_t i = 0; i < REQUEST_METRICS; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_s", metric_names[i]);
        json_set_distribution(object, key, &latencies->metrics[i]);
    }
    json_set_distribution(object, "itl_s", &latencies->itl);
    return object;
}

static void set_requests(json_t *object, const struct request_counts *requests)
{
    json_set_count(object, "planned", requests->planned);
    json_set_count(object, "sent", requests->sent);
    json_set_count(object, "succeeded", requests->succeeded);
    json_set_count(object, "failed", requests->failed);
}

/* What a ladder's stage has too. */
static json_t *row_json(const struct stage_row *row)
{
    json_t *object = json_object();
    json_set_text(object, "name", row->name);
    json_set_text(object, "purpose", stage_purpose_name(row->purpose));
    json_set_text(object, "use", stage_row_use_name(row));
    json_set_text(object, "reason", row->why);
    json_object_set_new(object, "believable", json_boolean(row->whole.verdict.valid));
    set_requests(object, &row->whole.requests);
    json_set_number(object, "client_share", row->client_share);
    return object;
}

static void set_evidence(json_t *object, const struct stage_evidence *evidence,
                         const struct stage_signs *signs)
{
    struct stage_estimate sent = stage_rate(evidence, evidence->sent);
    struct stage_estimate completed = stage_rate(evidence, evidence->completed);
    struct stage_estimate latency = stage_latency(evidence);
    json_set_number(object, "planned_per_s", evidence->planned_per_s);
    json_set_number(object, "steady_from_s", evidence->from_s);
    json_set_number(object, "steady_to_s", evidence->to_s);
    json_object_set_new(object, "settled", json_boolean(evidence->settled));
    set_estimate(object, "sent_per_s", &sent);
    set_estimate(object, "completed_per_s", &completed);
    set_estimate(object, "completed_share", &signs->ratio);
    set_estimate(object, "in_flight_growth_per_s", &signs->growth);
    set_estimate(object, "latency_mean_s", &latency);
    json_set_number(object, "in_flight_mean", evidence->in_flight);
    json_object_set_new(object, "falls_short", json_boolean(signs->falls_short));
    json_object_set_new(object, "grows", json_boolean(signs->grows));
}

static json_t *stage_json(const struct latency_profile *profile, size_t at)
{
    const struct stage_row *row = &profile->rows[at];
    const struct goodput *goodput = &row->steady.goodput;
    json_t *object = row_json(row);
    json_t *objectives = json_array();
    json_set_count(object, "repetition", row->repetition);
    set_evidence(object, &row->evidence, latency_profile_signs(profile, at));
    json_set_number(object, "output_tokens_per_s", row->steady.timeline.output_per_s);
    json_object_set_new(object, "goodput_share",
                        row->steady.has_goodput
                            ? estimate_json(goodput->share, &goodput->share_interval)
                            : json_null());
    for (size_t i = 0; i < profile->slo.count; i++)
        json_array_append_new(objectives, objective_json(&profile->slo.terms[i],
                                                         &row->objectives[i]));
    json_object_set_new(object, "objectives", objectives);
    json_set_number(object, "nothing_answered_from_s", row->dead_from_s);
    json_object_set_new(object, "latency",
                        latencies_json(&row->steady.latency[BY_ARRIVAL]));
    return object;
}

static json_t *ladder_json(const struct stage_row *row)
{
    json_t *object = row_json(row);
    json_set_count(object, "concurrency", row->concurrency);
    json_set_number(object, "completed_per_s", row->whole.timeline.completed_per_s);
    json_set_number(object, "output_tokens_per_s", row->whole.timeline.output_per_s);
    json_object_set_new(object, "latency",
                        latencies_json(&row->whole.latency[BY_ARRIVAL]));
    return object;
}

json_t *latency_profile_json(const struct latency_profile *profile)
{
    json_t *document = json_object();
    json_t *statement = json_array();
    json_t *stages = json_array();
    json_t *ladder = json_array();
    struct run_texts lines = { 0 };
    latency_profile_words(profile, &lines);
    for (size_t i = 0; i < lines.count; i++)
        json_array_append_new(statement, json_string(lines.items[i]));
    run_texts_release(&lines);
    for (size_t i = 0; i < profile->count; i++)
        json_array_append_new(i < profile->ladder ? ladder : stages,
                              i < profile->ladder ? ladder_json(&profile->rows[i])
                                                  : stage_json(profile, i));
    json_object_set_new(document, "schema", json_string("tokanalyze.profile/1"));
    json_set_text(document, "parameters", profile->parameters);
    json_object_set_new(document, "open_loop", json_boolean(!profile->foreign));
    json_object_set_new(document, "statement", statement);
    json_object_set_new(document, "knee", knee_json(&profile->knee));
    json_set_number(document, "highest_load_that_meets_per_s",
                    profile->meets_per_s > 0 ? profile->meets_per_s : NAN);
    json_set_count(document, "unfinished_stages", profile->unfinished);
    json_object_set_new(document, "stages", stages);
    json_object_set_new(document, "ladder", ladder);
    return document;
}
