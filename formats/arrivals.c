#include "formats/arrivals.h"

const char *event_kind_name(unsigned kind)
{
    static const char *const names[EVENT_KINDS] = {
        [EVENT_CONTENT] = "content",
        [EVENT_REASONING] = "reasoning",
        [EVENT_TOOL] = "tool",
        [EVENT_ROLE] = "role",
        [EVENT_EMPTY] = "empty",
        [EVENT_FINISH] = "finish",
        [EVENT_USAGE] = "usage",
        [EVENT_COMMENT] = "comment",
        [EVENT_ERROR] = "error",
        [EVENT_DONE] = "done",
        [EVENT_OTHER] = "other",
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
    *request = (struct arrival_request)ARRIVAL_REQUEST_INIT;
}
