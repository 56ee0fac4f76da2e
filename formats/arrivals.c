#include "formats/arrivals.h"

#include <string.h>

const char *event_kind_name(unsigned kind)
{
    static const char *const names[EVENT_KINDS] = {
        [EVENT_CONTENT] = "content", [EVENT_REASONING] = "reasoning", [EVENT_TOOL] = "tool",
        [EVENT_ROLE] = "role",       [EVENT_EMPTY] = "empty",         [EVENT_FINISH] = "finish",
        [EVENT_USAGE] = "usage",     [EVENT_COMMENT] = "comment",     [EVENT_ERROR] = "error",
        [EVENT_DONE] = "done",       [EVENT_OTHER] = "other",
    };
    return kind < EVENT_KINDS ? names[kind] : "unknown";
}

const char *outcome_name(unsigned outcome)
{
    static const char *const names[OUTCOMES] = {
        [OUTCOME_OK] = "ok",
        [OUTCOME_HTTP_STATUS] = "http_status",
        [OUTCOME_STREAM_ERROR] = "stream_error",
        [OUTCOME_TRUNCATED] = "truncated",
        [OUTCOME_CONNECT] = "connect",
        [OUTCOME_TIMEOUT] = "timeout",
        [OUTCOME_IDLE_TIMEOUT] = "idle_timeout",
        [OUTCOME_CLIENT_RESOURCE] = "client_resource",
        [OUTCOME_CANCELLED] = "cancelled",
        [OUTCOME_NOT_SENT] = "not_sent",
    };
    return outcome < OUTCOMES ? names[outcome] : "unknown";
}

void arrival_request_init(struct arrival_request *request)
{
    *request = (struct arrival_request){
        .due_ns = TIME_NONE,
        .start_ns = TIME_NONE,
        .connect_start_ns = TIME_NONE,
        .connect_end_ns = TIME_NONE,
        .tls_end_ns = TIME_NONE,
        .sent_ns = TIME_NONE,
        .headers_ns = TIME_NONE,
        .end_ns = TIME_NONE,
        .planned_input_tokens = COUNT_NONE,
        .planned_output_tokens = COUNT_NONE,
        .usage_prompt_tokens = COUNT_NONE,
        .usage_completion_tokens = COUNT_NONE,
        .usage_cached_tokens = COUNT_NONE,
        .usage_reasoning_tokens = COUNT_NONE,
        .min_rtt_us = COUNT_NONE,
        .retransmits = COUNT_NONE,
        .attempts = 1,
        .outcome = OUTCOME_NOT_SENT,
    };
}
