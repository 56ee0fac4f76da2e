#include "record/extract_options.h"

int extract_options_create(const struct extract_options *options, bool keep_requests,
                           void (*on_exchange)(void *context,
                                               const struct exchange *exchange),
                           void *context, struct extractor **extractor,
                           struct fault *fault)
{
    struct server_filter server = { .any_address = false };
    if (options->server) {
        int status = server_filter_parse(&server, options->server, fault);
        if (status < 0)
            return status;
    }
    struct flow_limits limits = {
        .max_flows = (size_t)options->max_flows,
        .max_buffer = (size_t)options->max_buffer,
    };
    struct http_settings http = {
        .server = &server,
        .max_memory = (size_t)options->max_buffer,
        .session_header = options->session_header,
        .keep_requests = keep_requests,
        .on_exchange = on_exchange,
        .context = context,
    };
    *extractor = extractor_create(&limits, &http);
    return STATUS_OK;
}
