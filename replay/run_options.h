/* The options of every command that sends requests: where to, how, from how many
 * workers. */
#ifndef TOKTRACE_RUN_OPTIONS_H
#define TOKTRACE_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/options.h"
#include "replay/target.h"

struct run_options {
    struct target_options target;
    const char *model; /* NULL: the first that the server names */
    const char *vocab; /* "FIRST:END" */
    bool respect_eos;
    bool words;
    bool calibrate;
    bool no_stream;
    int64_t workers; /* 0: as many as CPUs that may be used */
    bool pin;
    int64_t concurrency; /* 0: open loop */
    int failed_turn;     /* enum failed_turn */
    int64_t timeout_ns;
    int64_t idle_timeout_ns; /* 0: none */
    int64_t retries;
    int64_t grace_ns;
    int64_t max_open; /* 0: estimated from the plan */
    bool no_probe;
    const char *client_cost; /* NULL: none */
    const char *capture;     /* interface; NULL: no capture */
};

extern const char *const request_api_names[];
extern const char *const failed_turn_names[];

/* Entries for the option table of a command whose options struct `structure` has a struct
 * run_options called `member`. */
#define RUN_OPTIONS(structure, member) \
    { .name = "url", \
      .letter = 'u', \
      .type = OPTION_STRING, \
      .argument = "URL", \
      .offset = offsetof(structure, member.target.url), \
      .group = "Server", \
      .help = "where the server is: http://HOST:PORT, with or without /v1 or the whole " \
              "path" }, \
        { .name = "api", \
          .type = OPTION_CHOICE, \
          .argument = "NAME", \
          .offset = offsetof(structure, member.target.api), \
          .choices = request_api_names, \
          .default_text = "completions", \
          .help = "endpoint to use; completions takes prompts of an exact length" }, \
        { .name = "model", \
          .letter = 'm', \
          .type = OPTION_STRING, \
          .argument = "NAME", \
          .offset = offsetof(structure, member.model), \
          .help = "model to ask for; default: the first that the server names" }, \
        { .name = "header", \
          .letter = 'H', \
          .type = OPTION_LIST, \
          .argument = "LINE", \
          .offset = offsetof(structure, member.target.headers), \
          .help = "one more request header, 'Name: value'; may be repeated" }, \
        { .name = "api-key-env", \
          .type = OPTION_STRING, \
          .argument = "NAME", \
          .offset = offsetof(structure, member.target.api_key_env), \
          .help = "environment variable with the key, sent as a bearer token" }, \
        { .name = "cacert", \
          .type = OPTION_PATH, \
          .argument = "FILE", \
          .offset = offsetof(structure, member.target.ca_file), \
          .help = "certificates of authorities to trust, PEM" }, \
        { .name = "cert", \
          .type = OPTION_PATH, \
          .argument = "FILE", \
          .offset = offsetof(structure, member.target.client_certificate), \
          .help = "client certificate, PEM" }, \
        { .name = "key", \
          .type = OPTION_PATH, \
          .argument = "FILE", \
          .offset = offsetof(structure, member.target.client_key), \
          .help = "its private key, PEM" }, \
        { .name = "insecure", \
          .type = OPTION_FLAG, \
          .offset = offsetof(structure, member.target.insecure), \
          .help = "do not check the server's certificate" }, \
        { .name = "http2", \
          .type = OPTION_FLAG, \
          .offset = offsetof(structure, member.target.http2), \
          .help = "speak HTTP/2 (without TLS: with prior knowledge)" }, \
        { .name = "vocab", \
          .type = OPTION_STRING, \
          .argument = "FIRST:END", \
          .offset = offsetof(structure, member.vocab), \
          .default_text = "1000:30000", \
          .help = "token ids of random prompts are drawn from here" }, \
        { .name = "respect-eos", \
          .type = OPTION_FLAG, \
          .offset = offsetof(structure, member.respect_eos), \
          .help = "let answers end early; default asks servers to go on to the planned " \
                  "length" }, \
        { .name = "words", \
          .type = OPTION_FLAG, \
          .offset = offsetof(structure, member.words), \
          .help = "send prompts as words, for servers that take no token ids" }, \
        { .name = "calibrate", \
          .type = OPTION_FLAG, \
          .offset = offsetof(structure, member.calibrate), \
          .help = "with words: ask the server how many tokens they make, and correct " \
                  "the lengths" }, \
        { .name = "no-stream", \
          .type = OPTION_FLAG, \
          .offset = offsetof(structure, member.no_stream), \
          .help = "ask for answers in one piece" }, \
        { .name = "workers", \
          .letter = 'w', \
          .type = OPTION_INT, \
          .argument = "N", \
          .offset = offsetof(structure, member.workers), \
          .min = 1, \
          .max = 4096, \
          .group = "Client", \
          .help = "worker processes; default: one per CPU that may be used" }, \
        { .name = "pin", \
          .type = OPTION_FLAG, \
          .offset = offsetof(structure, member.pin), \
          .help = "pin each worker to a CPU" }, \
        { .name = "concurrency", \
          .letter = 'c', \
          .type = OPTION_INT, \
          .argument = "N", \
          .offset = offsetof(structure, member.concurrency), \
          .min = 1, \
          .max = 1e6, \
          .help = "closed loop: keep N requests open over all workers, whatever the " \
                  "due times" }, \
        { .name = "on-failed-turn", \
          .type = OPTION_CHOICE, \
          .argument = "WHAT", \
          .offset = offsetof(structure, member.failed_turn), \
          .choices = failed_turn_names, \
          .default_text = "continue", \
          .help = "what a failed turn does to its session" }, \
        { .name = "timeout", \
          .type = OPTION_DURATION, \
          .argument = "TIME", \
          .offset = offsetof(structure, member.timeout_ns), \
          .default_text = "10m", \
          .min = 1e6, \
          .max = 1e15, \
          .help = "longest time for a request in all" }, \
        { .name = "idle-timeout", \
          .type = OPTION_DURATION, \
          .argument = "TIME", \
          .offset = offsetof(structure, member.idle_timeout_ns), \
          .default_text = "0", \
          .max = 1e15, \
          .help = "longest time without a byte to or from the server; 0: only " \
                  "--timeout" }, \
        { .name = "retries", \
          .type = OPTION_INT, \
          .argument = "N", \
          .offset = offsetof(structure, member.retries), \
          .default_text = "0", \
          .max = 1000, \
          .help = \
              "tries more after HTTP 429, 502, 503 or 504, or a failed connection; " \
              "waits " \
              "for Retry-After or a doubling pause; all tries count as one request" }, \
        { .name = "source-address", \
          .type = OPTION_LIST, \
          .argument = "ADDRESS", \
          .offset = offsetof(structure, member.target.source_addresses), \
          .help = "local IP address to connect from; several are used in turn" }, \
        { .name = "grace", \
          .type = OPTION_DURATION, \
          .argument = "TIME", \
          .offset = offsetof(structure, member.grace_ns), \
          .default_text = "5s", \
          .max = 1e15, \
          .help = "after Ctrl-C: how long open streams may go on" }, \
        { .name = "max-open", \
          .type = OPTION_INT, \
          .argument = "N", \
          .offset = offsetof(structure, member.max_open), \
          .default_text = "0", \
          .max = 1e6, \
          .help = "streams that will be open at once; 0: estimated from the plan at 2 " \
                  "s + 50 ms a " \
                  "token" }, \
        { .name = "capture", \
          .type = OPTION_STRING, \
          .argument = "IFACE", \
          .offset = offsetof(structure, member.capture), \
          .help = "capture the run's packets on this interface with tokrecord, and put " \
                  "them and " \
                  "their times (wire.pcap.zst, wire.toklog) into the run directory" }, \
        { .name = "client-cost", \
          .type = OPTION_STRING, \
          .argument = "TIME[:LAW]", \
          .offset = offsetof(structure, member.client_cost), \
          .help = "emulate a slow client: burn this much CPU per token event; LAW is " \
                  "exp or " \
                  "lognormal:CV" }, \
    { \
        .name = "no-probe", .type = OPTION_FLAG, \
        .offset = offsetof(structure, member.no_probe), \
        .help = "do not send a first small request before the run" \
    }

#endif
