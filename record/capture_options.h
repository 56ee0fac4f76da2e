/* The options that `capture` and `live` share. */
#ifndef TOKTRACE_CAPTURE_OPTIONS_H
#define TOKTRACE_CAPTURE_OPTIONS_H

#include "formats/base/options.h"
#include "record/capture_device.h"

struct capture_options {
    const char *interface;
    struct option_list ports;
    const char *filter;
    int64_t ring_bytes;
    int64_t snaplen;
    bool promiscuous;
    const char *user;
    int64_t ready_fd; /* -1: none */
    int64_t duration_ns; /* 0: until stopped */
};

/* The entries of a table, for a capture_options at `member` of the command's own
 * struct. */
#define CAPTURE_OPTION_ENTRIES(owner, member)                                           \
    { .name = "interface",                                                              \
      .letter = 'i',                                                                    \
      .type = OPTION_STRING,                                                            \
      .offset = offsetof(owner, member.interface),                                      \
      .argument = "IFACE",                                                              \
      .help = "interface to capture on, e.g. lo",                                       \
      .group = "What to capture" },                                                     \
    { .name = "port",                                                                   \
      .letter = 'p',                                                                    \
      .type = OPTION_LIST,                                                              \
      .offset = offsetof(owner, member.ports),                                          \
      .argument = "PORT",                                                               \
      .help = "TCP port to capture, repeatable; without it every port" },               \
    { .name = "filter",                                                                 \
      .type = OPTION_STRING,                                                            \
      .offset = offsetof(owner, member.filter),                                         \
      .argument = "EXPR",                                                               \
      .help = "pcap filter on top of that" },                                           \
    { .name = "duration",                                                               \
      .type = OPTION_DURATION,                                                          \
      .offset = offsetof(owner, member.duration_ns),                                    \
      .default_text = "0",                                                              \
      .argument = "TIME",                                                               \
      .help = "stop after this time; 0: when stopped" },                                \
    { .name = "buffer",                                                                 \
      .type = OPTION_SIZE,                                                              \
      .offset = offsetof(owner, member.ring_bytes),                                     \
      .default_text = "64MiB",                                                          \
      .argument = "SIZE",                                                               \
      .help = "size of the kernel's ring",                                              \
      .min = 1 << 20,                                                                   \
      .max = 1 << 30,                                                                   \
      .group = "Device" },                                                              \
    { .name = "snaplen",                                                                \
      .type = OPTION_SIZE,                                                              \
      .offset = offsetof(owner, member.snaplen),                                        \
      .default_text = "256KiB",                                                         \
      .argument = "SIZE",                                                               \
      .min = 64,                                                                        \
      .max = 256 << 10,                                                                 \
      .help = "bytes kept of a packet; cut ones hide their tokens" },                   \
    { .name = "promiscuous",                                                            \
      .type = OPTION_FLAG,                                                              \
      .offset = offsetof(owner, member.promiscuous),                                    \
      .help = "take packets for other hosts too" },                                     \
    { .name = "user",                                                                   \
      .type = OPTION_STRING,                                                            \
      .offset = offsetof(owner, member.user),                                           \
      .argument = "USER",                                                               \
      .help = "become this user once the device is open; under sudo, its caller "       \
              "without being told",                                                     \
      .group = "Process" },                                                             \
    { .name = "ready-fd",                                                               \
      .type = OPTION_INT,                                                               \
      .offset = offsetof(owner, member.ready_fd),                                       \
      .default_text = "-1",                                                             \
      .argument = "FD",                                                                 \
      .min = -1,                                                                        \
      .max = 1 << 20,                                                                   \
      .help = "for a program that starts this one: write \"ready\" to this "            \
              "descriptor once packets are captured, and stop when that program "       \
              "dies" }

/* Opens the device and gives up the rights that only it needs. */
int capture_options_open(const struct capture_options *options,
                         struct capture_settings *settings, struct capture_device *device,
                         struct fault *fault);

/* Tells the program that waits at --ready-fd. Call it when packets are being captured and
 * stored. */
int capture_announce(const struct capture_options *options, struct fault *fault);

#endif
