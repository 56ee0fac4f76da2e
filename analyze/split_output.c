#include "analyze/distribution_table.h"
#include "analyze/json_values.h"
#include "analyze/short_text.h"
#include "analyze/split.h"
#include "analyze/text_table.h"
#include "formats/base/clock.h"

struct named_value {
    const char *name;
    enum split_value value;
};

static void show_values(struct sheet *sheet, const char *title, const struct split *split,
                        const struct named_value *rows, size_t count)
{
    struct text_table table = { 0 };
    sheet_title(sheet, "%s", title);
    distribution_table_start(&table);
    for (size_t i = 0; i < count; i++)
        distribution_table_add(&table, rows[i].name, &split->values[rows[i].value]);
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_requests(struct sheet *sheet, const struct split *split)
{
    static const struct named_value parts[] = {
        { "send lag", SPLIT_SEND_LAG },
        { "server and network", SPLIT_SERVER_NETWORK },
        { "receive lag", SPLIT_RECEIVE_LAG },
        { "of it network, least RTT", SPLIT_NETWORK },
        { "sent to its packet", SPLIT_WIRE_SEND },
    };
    static const struct named_value views[] = {
        { "by packets", SPLIT_TTFT_WIRE },
        { "by kernel stamps", SPLIT_TTFT_KERNEL },
        { "as the client saw it", SPLIT_TTFT_APP },
    };
    show_values(sheet, "Requests, from due to the last token in hand: the parts", split,
                parts, sizeof parts / sizeof parts[0]);
    show_values(sheet, "TTFT, from sent", split, views, sizeof views / sizeof views[0]);
}

static void add_histogram(struct text_table *table, const char *name,
                          const struct histogram *histogram)
{
    struct distribution distribution = distribution_of_histogram(histogram, 0);
    distribution_table_add(table, name, &distribution);
}

static void show_tokens(struct sheet *sheet, const struct split *split)
{
    struct text_table table = { 0 };
    sheet_title(sheet, "Tokens");
    distribution_table_start(&table);
    add_histogram(&table, "receive lag", &split->receive_lag);
    add_histogram(&table, "kernel stamp late", &split->kernel_late);
    add_histogram(&table, "  alone in its read", &split->kernel_alone);
    add_histogram(&table, "  in a shared read", &split->kernel_shared);
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static const char *base_text(enum wire_clock_base base)
{
    static const char *const texts[] = {
        [WIRE_CLOCK_NONE] = "nothing joined",
        [WIRE_CLOCK_MONOTONIC] = "one monotonic clock",
        [WIRE_CLOCK_WALL] = "the wall clock at the start",
    };
    return texts[base];
}

void split_show(struct sheet *sheet, const struct split *split)
{
    sheet_fact(sheet, "requests",
               "%s of %s sent were joined with packets, %s of %s on "
               "the wire are of others",
               count_text(split->joined).text, count_text(split->sent).text,
               count_text(split->wire_not_joined).text,
               count_text(split->wire_requests).text);
    sheet_fact(sheet, "tokens", "%s of %s matched, %s unknown (lost by the capture)",
               count_text(split->matched).text, count_text(split->tokens).text,
               count_text(split->unknown).text);
    if (split->disagree)
        sheet_fact(sheet, "", "%s EVENTS DISAGREE", count_text(split->disagree).text);
    sheet_fact(sheet, "sums", "exact for %s of %s requests",
               count_text(split->identity_checked - split->identity_broken).text,
               count_text(split->identity_checked).text);
    sheet_fact(sheet, "clocks",
               "%s; %s tokens in hand more than %s before their packet%s",
               base_text(split->base), count_text(split->clock_faults).text,
               duration_text((double)split->epsilon_ns / NS_PER_S).text,
               split->clock_faults ? ": THE CLOCKS DISAGREE" : "");
    show_requests(sheet, split);
    show_tokens(sheet, split);
}

static void set_histogram(json_t *object, const char *key,
                          const struct histogram *histogram)
{
    struct distribution distribution = distribution_of_histogram(histogram, 0);
    json_set_distribution(object, key, &distribution);
}

static json_t *requests_json(const struct split *split)
{
    json_t *object = json_object();
    json_set_count(object, "client", split->requests);
    json_set_count(object, "sent", split->sent);
    json_set_count(object, "joined", split->joined);
    json_set_count(object, "not_joined", split->sent - split->joined);
    json_set_count(object, "wire", split->wire_requests);
    json_set_count(object, "wire_not_joined", split->wire_not_joined);
    json_set_count(object, "with_holes", split->holes);
    json_set_count(object, "identity_checked", split->identity_checked);
    json_set_count(object, "identity_broken", split->identity_broken);
    return object;
}

static json_t *tokens_json(const struct split *split)
{
    json_t *object = json_object();
    json_set_count(object, "of_joined_requests", split->tokens);
    json_set_count(object, "matched", split->matched);
    json_set_count(object, "alone_in_read", split->alone);
    json_set_count(object, "unknown", split->unknown);
    json_set_count(object, "events_disagree", split->disagree);
    return object;
}

static json_t *clocks_json(const struct split *split)
{
    json_t *object = json_object();
    json_set_text(object, "joined_by", base_text(split->base));
    json_set_number(object, "epsilon_s", (double)split->epsilon_ns / NS_PER_S);
    json_set_count(object, "faults", split->clock_faults);
    return object;
}

json_t *split_json(const struct split *split)
{
    json_t *document = json_object();
    json_t *per_request = json_object();
    json_t *per_token = json_object();
    json_set_text(document, "schema", "tokanalyze.split/1");
    json_object_set_new(document, "requests", requests_json(split));
    json_object_set_new(document, "tokens", tokens_json(split));
    json_object_set_new(document, "clocks", clocks_json(split));
    for (int i = 0; i < SPLIT_VALUES; i++)
        json_set_distribution(per_request, split_value_keys[i], &split->values[i]);
    json_object_set_new(document, "request_s", per_request);
    set_histogram(per_token, "receive_lag", &split->receive_lag);
    set_histogram(per_token, "kernel_late", &split->kernel_late);
    set_histogram(per_token, "kernel_late_alone", &split->kernel_alone);
    set_histogram(per_token, "kernel_late_shared", &split->kernel_shared);
    json_object_set_new(document, "token_s", per_token);
    return document;
}
