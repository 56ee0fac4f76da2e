/* The options that `extract` and `live` share. */
#ifndef TOKTRACE_EXTRACT_OPTIONS_H
#define TOKTRACE_EXTRACT_OPTIONS_H

#include "formats/base/options.h"
#include "record/extractor.h"

struct extract_options {
    const char *server;
    const char *session_header;
    int64_t max_flows;
    int64_t max_buffer;
};

/* The entries of a table, for extract_options at `member` of the command's own struct. */
#define EXTRACT_OPTION_ENTRIES(owner, member)                                           \
    { .name = "server", .type = OPTION_STRING, .offset = offsetof(owner, member.server),\
      .argument = "HOST:PORT",                                                          \
      .help = "only the traffic of this server; \":PORT\": on any host",                \
      .group = "What to extract" },                                                     \
    { .name = "session-header", .type = OPTION_STRING,                                  \
      .offset = offsetof(owner, member.session_header), .default_text = "x-session-id", \
      .argument = "NAME", .help = "request header that names the session" },            \
    { .name = "max-flows", .type = OPTION_INT,                                          \
      .offset = offsetof(owner, member.max_flows), .default_text = "16384",             \
      .argument = "N", .min = 1, .max = 1 << 24,                                        \
      .help = "connections followed at a time; the oldest is dropped, and counted",     \
      .group = "Limits" },                                                              \
    { .name = "max-buffer", .type = OPTION_SIZE,                                        \
      .offset = offsetof(owner, member.max_buffer), .default_text = "24MiB",            \
      .argument = "SIZE", .min = 64 << 10, .max = 1 << 30,                              \
      .help = "memory for bytes behind holes, and as much again for open "              \
              "exchanges" }

/* An extractor that passes its exchanges to `on_exchange`. */
int extract_options_create(const struct extract_options *options, bool keep_requests,
                           void (*on_exchange)(void *context,
                                               const struct exchange *exchange),
                           void *context, struct extractor **extractor,
                           struct fault *fault);

#endif
