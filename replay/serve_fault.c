#include "replay/serve_fault.h"

#include <stdbool.h>
#include <string.h>

#include "formats/base/draw.h"
#include "formats/base/units.h"

enum argument_type { ARGUMENT_NONE, ARGUMENT_STATUS, ARGUMENT_TOKENS, ARGUMENT_DURATION };

static const struct kind {
    const char *name;
    enum serve_fault_kind kind;
    enum argument_type argument;
    int64_t fallback;
} kinds[] = {
    { "status", SERVE_FAULT_STATUS, ARGUMENT_STATUS, 503 },
    { "html", SERVE_FAULT_HTML, ARGUMENT_NONE, 0 },
    { "no_answer", SERVE_FAULT_NO_ANSWER, ARGUMENT_NONE, 0 },
    { "error_event", SERVE_FAULT_ERROR_EVENT, ARGUMENT_TOKENS, 1 },
    { "garbage", SERVE_FAULT_GARBAGE, ARGUMENT_TOKENS, 1 },
    { "fin", SERVE_FAULT_FIN, ARGUMENT_TOKENS, 1 },
    { "rst", SERVE_FAULT_RST, ARGUMENT_TOKENS, 1 },
    { "short_content_length", SERVE_FAULT_SHORT_LENGTH, ARGUMENT_TOKENS, 1 },
    { "silence", SERVE_FAULT_SILENCE, ARGUMENT_TOKENS, 1 },
    { "stall", SERVE_FAULT_STALL, ARGUMENT_DURATION, 1000000000 },
    { "no_done", SERVE_FAULT_NO_DONE, ARGUMENT_NONE, 0 },
    { "no_last_chunk", SERVE_FAULT_NO_LAST_CHUNK, ARGUMENT_NONE, 0 },
    { "no_read", SERVE_FAULT_NO_READ, ARGUMENT_NONE, 0 },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const struct kind *find_kind(const char *text, size_t len)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strlen(kinds[i].name) == len && !memcmp(kinds[i].name, text, len))
            return &kinds[i];
    }
    return NULL;
}

static int parse_argument(const struct kind *kind, const char *text, int64_t *argument,
                          struct fault *fault)
{
    if (kind->argument == ARGUMENT_NONE)
        return fault_set(fault, STATUS_USAGE, "fault %s takes no argument", kind->name);
    if (kind->argument == ARGUMENT_DURATION)
        return units_parse_duration(text, argument, fault);
    int status = units_parse_int(text, argument, fault);
    if (status != STATUS_OK)
        return status;
    if (kind->argument == ARGUMENT_STATUS && (*argument < 400 || *argument > 599))
        return fault_set(fault, STATUS_USAGE,
                         "fault status: expected 400 to 599, not %lld",
                         (long long)*argument);
    if (*argument < 0)
        return fault_set(fault, STATUS_USAGE, "fault %s: tokens cannot be negative",
                         kind->name);
    return STATUS_OK;
}

static int parse_rule(struct serve_fault_rule *rule, const char *text,
                      struct fault *fault)
{
    enum { PROBABILITY_TEXT_MAX = 32 };
    char probability[PROBABILITY_TEXT_MAX];
    size_t name_len = strcspn(text, ":");
    const struct kind *kind = find_kind(text, name_len);
    const char *number = text + name_len + (text[name_len] == ':');
    size_t number_len = strcspn(number, ":");
    if (!kind || !number_len || number_len >= sizeof(probability))
        return fault_set(
            fault, STATUS_USAGE,
            "fault '%s': expected KIND:PROBABILITY[:ARG] with a kind named in --help",
            text);
    memcpy(probability, number, number_len);
    probability[number_len] = '\0';
    int status = units_parse_float(probability, &rule->probability, fault);
    if (status == STATUS_OK && !(rule->probability >= 0 && rule->probability <= 1))
        status = fault_set(fault, STATUS_USAGE,
                           "fault '%s': expected a probability from 0 to 1", text);
    rule->fault = (struct serve_fault){ kind->kind, kind->fallback };
    if (status == STATUS_OK && number[number_len] == ':')
        status = parse_argument(kind, number + number_len + 1, &rule->fault.argument,
                                fault);
    return status;
}

int serve_faults_parse(struct serve_faults *faults, const struct option_list *texts,
                       struct fault *fault)
{
    if (texts->count > SERVE_FAULT_RULES_MAX)
        return fault_set(fault, STATUS_USAGE, "more than %d faults",
                         SERVE_FAULT_RULES_MAX);
    for (size_t i = 0; i < texts->count; i++) {
        int status = parse_rule(&faults->rules[i], texts->items[i], fault);
        if (status != STATUS_OK)
            return status;
    }
    faults->count = texts->count;
    return STATUS_OK;
}

/* The rules count down from the top, where no token's draw lies. */
static bool strikes(const struct serve_faults *faults, size_t rule, uint64_t number)
{
    struct draw draw = draw_at(faults->seed, number, UINT64_MAX - rule);
    return draw_uniform(draw.words[0]) < faults->rules[rule].probability;
}

static struct serve_fault first_struck(const struct serve_faults *faults, uint64_t number,
                                       bool connection)
{
    for (size_t i = 0; i < faults->count; i++) {
        bool of_connection = faults->rules[i].fault.kind == SERVE_FAULT_NO_READ;
        if (of_connection == connection && strikes(faults, i, number))
            return faults->rules[i].fault;
    }
    return (struct serve_fault){ SERVE_FAULT_NONE, 0 };
}

struct serve_fault serve_faults_of_request(const struct serve_faults *faults,
                                           uint64_t request)
{
    return first_struck(faults, request, false);
}

struct serve_fault serve_faults_of_connection(const struct serve_faults *faults,
                                              uint64_t connection)
{
    return first_struck(faults, connection, true);
}
