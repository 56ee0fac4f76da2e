/* tokrecord extract: capture files to an arrival log and a request trace. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <sys/stat.h>

#include "formats/base/terminal.h"
#include "formats/base/units.h"
#include "record/capture_sidecar.h"
#include "record/commands.h"
#include "record/extract_options.h"
#include "record/extract_report.h"
#include "record/stop_signal.h"
#include "record/wire_log.h"

enum { CHECK_PACKETS = 4096 }; /* between two looks at the clock and at signals */

struct extract_command {
    struct common_options common;
    const char *output;
    const char *requests;
    const char *salt;
    int64_t block_tokens;
    bool keep_text;
    struct extract_options extract;
};

static const struct option_spec specs[] = {
    { .name = "output",
      .letter = 'o',
      .type = OPTION_PATH,
      .offset = offsetof(struct extract_command, output),
      .argument = "FILE",
      .help = "arrival log to write, e.g. wire.toklog; without it only the summary is "
              "printed",
      .group = "Output" },
    { .name = "requests",
      .type = OPTION_PATH,
      .offset = offsetof(struct extract_command, requests),
      .argument = "FILE",
      .help =
          "request trace to write (NDJSON), for tokreplay run; prompts become hashes" },
    { .name = "block-tokens",
      .type = OPTION_INT,
      .offset = offsetof(struct extract_command, block_tokens),
      .default_text = "64",
      .argument = "N",
      .min = 1,
      .max = 1 << 20,
      .help = "tokens per hash; prompts share whole blocks" },
    { .name = "salt",
      .type = OPTION_STRING,
      .offset = offsetof(struct extract_command, salt),
      .argument = "TEXT",
      .help = "make hashes that compare with those of another capture; "
              "default: a random salt, kept nowhere" },
    { .name = "keep-text",
      .type = OPTION_FLAG,
      .offset = offsetof(struct extract_command, keep_text),
      .help = "write the text of prompts to the request trace" },
    EXTRACT_OPTION_ENTRIES(struct extract_command, extract),
    { 0 },
};

/* One run of the command. */
struct extraction {
    const struct extract_command *options;
    struct packet_source *source;
    struct capture_sidecar sidecar;
    bool has_sidecar;
    struct extractor *extractor;
    struct wire_log log;
    struct trace_writer trace;
    int64_t t0_monotonic_ns;
    int64_t t0_realtime_ns;
    int64_t first_ns;
    int64_t last_ns;
    struct progress progress;
};

static void write_exchange(void *context, const struct exchange *exchange)
{
    struct extraction *run = context;
    if (run->log.writer)
        arrivals_writer_request(run->log.writer, &exchange->record);
    if (run->options->requests)
        trace_writer_add(&run->trace, exchange);
}

/* Time zero of the log is its first packet; on the monotonic clock where the sidecar
 * tells it. */
static void set_zero(struct extraction *run, int64_t realtime_ns)
{
    run->t0_realtime_ns = run->first_ns = realtime_ns;
    run->t0_monotonic_ns = run->has_sidecar && run->sidecar.clock.count
                               ? wire_clock_monotonic(&run->sidecar.clock, realtime_ns)
                               : 0;
}

static int64_t run_time(struct extraction *run, int64_t realtime_ns)
{
    if (run->has_sidecar && run->sidecar.clock.count)
        return wire_clock_monotonic(&run->sidecar.clock, realtime_ns) -
               run->t0_monotonic_ns;
    return realtime_ns - run->t0_realtime_ns;
}

static void write_clock_records(struct extraction *run)
{
    const struct wire_clock *clock = &run->sidecar.clock;
    for (size_t i = 0; i < clock->count; i++) {
        struct clock_record record = {
            .at_ns = clock->pairs[i].monotonic_ns - run->t0_monotonic_ns,
            .realtime_ns = clock->pairs[i].realtime_ns,
            .step_ns = wire_clock_step(clock, i),
        };
        arrivals_writer_clock(run->log.writer, &record);
    }
}

static int open_log(struct extraction *run, struct fault *fault)
{
    const char *output = run->options->output;
    if (!output)
        return STATUS_OK;
    struct arrivals_header header = {
        .t0_monotonic_ns = run->t0_monotonic_ns,
        .t0_realtime_ns = run->t0_realtime_ns,
    };
    if (run->has_sidecar)
        memcpy(header.boot_id, run->sidecar.boot_id, sizeof(header.boot_id));
    int status = wire_log_open(&run->log, output, run->options->common.force, &header,
                               fault);
    if (status == STATUS_OK)
        write_clock_records(run);
    return status;
}

static void show_progress(struct extraction *run)
{
    if (!progress_due(&run->progress))
        return;
    char packets[UNITS_TEXT_MAX], exchanges[UNITS_TEXT_MAX], line[128];
    uint64_t seen = extractor_packets(run->extractor)->packets;
    snprintf(line, sizeof(line), "%s packets, %s exchanges",
             units_format_count(packets, (int64_t)seen),
             units_format_count(exchanges,
                                (int64_t)extractor_http(run->extractor)->exchanges));
    progress_show(&run->progress, line);
}

/* Every few thousand packets: the disk, the screen, signals. A positive exit code after a
 * signal. */
static int look_around(struct extraction *run, struct fault *fault)
{
    int signal_number = stop_signal_caught();
    show_progress(run);
    if (signal_number)
        return 128 + signal_number;
    return wire_log_tick(&run->log, fault);
}

static int take_packet(struct extraction *run, struct captured_packet *packet,
                       struct fault *fault)
{
    if (run->first_ns == TIME_NONE) {
        set_zero(run, packet->time_ns);
        int status = open_log(run, fault);
        if (status < 0)
            return status;
    }
    run->last_ns = packet->time_ns;
    packet->time_ns = run_time(run, packet->time_ns);
    extractor_packet(run->extractor, packet);
    bool check = extractor_packets(run->extractor)->packets % CHECK_PACKETS == 0;
    return check ? look_around(run, fault) : STATUS_OK;
}

static int take_packets(struct extraction *run, struct fault *fault)
{
    struct captured_packet packet;
    int got;
    int status = STATUS_OK;
    while (status == STATUS_OK &&
           (got = packet_source_next(run->source, &packet, fault)) != 0)
        status = got < 0 ? got : take_packet(run, &packet, fault);
    uint64_t damaged;
    const char *damage = packet_source_damage(run->source, &damaged);
    if (status == STATUS_OK && run->first_ns == TIME_NONE)
        status = damage ? fault_set(fault, STATUS_BAD_INPUT, "%s", damage)
                        : open_log(run, fault); /* an empty log of an empty capture */
    if (status == STATUS_OK)
        extractor_finish(run->extractor);
    return status;
}

static int print_report(const struct extraction *run, struct fault *fault)
{
    struct extract_report report = {
        .extractor = run->extractor,
        .first_ns = run->first_ns,
        .last_ns = run->last_ns,
        .dropped = run->has_sidecar ? run->sidecar.dropped : -1,
        .trace = run->options->requests ? &run->trace.counts : NULL,
    };
    report.damage = packet_source_damage(run->source, &report.damaged_files);
    if (report.damage)
        fprintf(stderr, "tokrecord extract: %s\n", report.damage);
    return extract_report_print(&report, &run->options->common, fault);
}

static int open_trace(struct extraction *run, struct fault *fault)
{
    const struct extract_command *options = run->options;
    struct prompt_settings settings = {
        .block_tokens = (uint32_t)options->block_tokens,
        .keep_text = options->keep_text,
    };
    if (!options->requests)
        return STATUS_OK;
    if (options->keep_text)
        umask(0077); /* prompts are for their owner only */
    return trace_writer_open(&run->trace, options->requests, options->common.force,
                             &settings, options->salt, fault);
}

/* Files cut from one capture have one sidecar, beside the first. */
static int find_sidecar(struct extraction *run, char **paths, int path_count,
                        struct fault *fault)
{
    int got = 0;
    for (int i = 0; i < path_count && got == 0; i++)
        got = capture_sidecar_read(&run->sidecar, paths[i], fault);
    run->has_sidecar = got == 1;
    return got < 0 ? got : STATUS_OK;
}

static int open_inputs(struct extraction *run, char **paths, int path_count,
                       struct fault *fault)
{
    int status = packet_source_open(&run->source, paths, (size_t)path_count, fault);
    if (status < 0)
        return status;
    status = find_sidecar(run, paths, path_count, fault);
    if (status < 0)
        return status;
    const struct extract_command *options = run->options;
    status = extract_options_create(&options->extract, options->requests != NULL,
                                    write_exchange, run, &run->extractor, fault);
    return status < 0 ? status : open_trace(run, fault);
}

static void release(struct extraction *run)
{
    extractor_free(run->extractor);
    wire_log_release(&run->log);
    trace_writer_release(&run->trace);
    packet_source_close(run->source);
    capture_sidecar_release(&run->sidecar);
}

static int extract_run(void *options, char **operands, int operand_count,
                       struct fault *fault)
{
    struct extraction run = { .options = options,
                              .first_ns = TIME_NONE,
                              .last_ns = TIME_NONE };
    const struct common_options *common = &run.options->common;
    stop_signal_catch();
    progress_init(&run.progress, !common->no_progress && !common->quiet, common->verbose);
    int status = open_inputs(&run, operands, operand_count, fault);
    if (status == STATUS_OK)
        status = take_packets(&run, fault);
    progress_end(&run.progress);
    if (status == STATUS_OK)
        status = wire_log_commit(&run.log, run_time(&run, run.last_ns), fault);
    if (status == STATUS_OK && run.options->requests)
        status = trace_writer_commit(&run.trace, fault);
    if (status == STATUS_OK)
        status = print_report(&run, fault);
    release(&run);
    return status;
}

const struct command extract_command = {
    .name = "extract",
    .summary = "capture files to an arrival log and a request trace",
    .usage = "[OPTION]... FILE... [-o FILE]",
    .details =
        "Reads pcap and pcapng, plain, gzip or zstd; several files, cut from one "
        "capture, count as one. Each HTTP exchange becomes a record, each event of an "
        "answer gets the time at which its last byte was delivered to the host. TLS, "
        "HTTP/2 and compressed answers are counted as opaque.",
    .options = specs,
    .options_size = sizeof(struct extract_command),
    .run = extract_run,
    .operands_min = 1,
    .operands_max = -1,
};
